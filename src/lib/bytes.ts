/** A `Buffer` of the same memory. Types that the library exports name no `Buffer`, because programs may lack Node's types. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
