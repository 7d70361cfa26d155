export default {
  partner: {
    input: '../../../../generated/openapi.json',
    output: {
      target: '../built/orval/client.ts',
      client: 'fetch',
      baseUrl: {
        runtime: 'BASE_URL',
        imports: [{ name: 'BASE_URL', importPath: '../../adapters/base-url' }],
      },
    },
  },
};
