/** What the real PDS names of Amazon's services: here it keeps blobs on disk and keys in memory, so none is ever made. */
export class KmsKeypair {}
export class S3BlobStore {}
