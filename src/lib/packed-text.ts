/**
 * Long texts of the executable that few runs need. As constants they would be in memory from the
 * start, and three times in the executable. Macros pack them when the code is bundled.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { lazy } from './lazy.ts'

/** DEFLATE (RFC 1951), as base64. */
export const packText = (text: string): string =>
  deflateRawSync(text, { level: 9 }).toString('base64')

/** Unpacks a text at the first call. */
export const packedText = (packed: string): (() => string) =>
  lazy(() => inflateRawSync(Buffer.from(packed, 'base64')).toString())
