export default {
  partner: {
    input: '../../../../generated/openapi.json',
    output: {
      target: '../built/orval/client.ts',
      client: 'fetch',
      override: { contentType: { exclude: ['text/csv', 'application/vnd.apache.parquet'] } },
      baseUrl: {
        runtime: 'BASE_URL',
        imports: [{ name: 'BASE_URL', importPath: '../../adapters/base-url' }],
      },
    },
  },
};
