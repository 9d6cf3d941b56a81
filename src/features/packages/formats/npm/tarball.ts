/** Reads `package.json` out of a tarball of npm. */
import { localBlob, type Blob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { isObject } from '#lib/json-value.ts'
import { findJsonExcess } from '#lib/parse-json.ts'
import { findInTar } from '../read-archive.ts'

/** As in other documents of strangers. */
const JSON_LIMITS = { maxDepth: 64, maxValues: 200_000 }

const notTarball = (why: string): Refusal =>
  invalid('tarball', `the tarball cannot be read: ${why}`)

/** `package/package.json`, whatever the first folder is called. */
const isPackageJson = (name: string): boolean => /^[^/]+\/package\.json$/.test(name)

/** Throws 422 for anything that is not a tarball of npm. */
export async function readPackageJson(
  hearth: Hearth,
  { sha256, size }: Blob,
): Promise<Record<string, unknown>> {
  const path = await localBlob(hearth, sha256)
  if (path === null) throw new Refusal('unavailable', 'the tarball is missing on this installation')
  const found = await findInTar(path, size, { isGzip: true, isChosen: isPackageJson })
  if (found === null) throw notTarball('it has no package.json in its first folder')
  if (findJsonExcess(found.bytes, JSON_LIMITS) !== null)
    throw notTarball('its package.json is nested too deeply or has too many values')
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(found.bytes))
  } catch {
    throw notTarball('its package.json is not JSON')
  }
  if (!isObject(value)) throw notTarball('its package.json is not JSON')
  return value
}
