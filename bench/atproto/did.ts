/** The DID of the repo that the contenders read. */
export const BENCH_DID = "did:plc:bench5yzk2lq3x7m4wvhtnua";
