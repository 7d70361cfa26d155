export declare function encodeWeights(weights: Uint8Array): Promise<string>;
export declare function decodeWeights(text: string, cells: number): Promise<Uint8Array | undefined>;
