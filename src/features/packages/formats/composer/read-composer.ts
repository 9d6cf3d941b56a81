/** Reads the `composer.json` of a zip (https://getcomposer.org/doc/04-schema.md). */
import { invalid } from '#lib/errors.ts'
import { normalComposerVersion } from '#lib/versions/composer.ts'
import type { JsonObject } from '#lib/json-value.ts'
import { parseObject, textOf } from '../json.ts'
import { findInZip } from '../read-archive.ts'

const NAME = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*\/[a-z0-9]+(?:(?:[_.]|--?)[a-z0-9]+)*$/
const MAX_NAME_LENGTH = 200
const MANIFEST = /^(?:[^/]+\/)?composer\.json$/

/** Throws 422 for a name that Composer refuses too. */
export function parseComposerName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return name
  throw invalid(
    'name',
    `${name.slice(0, 100)} is no name of a package: use <vendor>/<name> in lower case`,
  )
}

export type ComposerPackage = {
  readonly name: string
  readonly version: string
  readonly normal: string
  readonly manifest: JsonObject
}

/** The version is given in the address, in the file, or in both, and then they agree. */
function chooseVersion(manifest: JsonObject, given: string | null): string {
  const own = textOf(manifest.version)
  const version = given ?? own
  if (version === null)
    throw invalid(
      'version',
      'the package has no version: add ?version=1.0.0 to the address, or version to composer.json',
    )
  const normal = normalComposerVersion(version)
  if (normal === null)
    throw invalid('version', `${version.slice(0, 100)} is no version of Composer`)
  if (own !== null && normalComposerVersion(own) !== normal)
    throw invalid('version', `composer.json says version ${own.slice(0, 100)}, not ${version}`)
  return version
}

/** Throws 422 for a zip without a `composer.json` that can be used. */
export async function readComposerZip(
  path: string,
  size: number,
  given: { readonly name: string | null; readonly version: string | null },
): Promise<ComposerPackage> {
  const found = await findInZip(path, size, (name) => MANIFEST.test(name))
  const depthOf = ({ path: at }: { path: string }): number => at.split('/').length
  const [first, second] = found.toSorted((a, b) => depthOf(a) - depthOf(b))
  if (first && second && depthOf(first) === depthOf(second))
    throw invalid('body', 'the zip has two files composer.json')
  if (!first)
    throw invalid('body', 'the zip has no composer.json at its root or in its only folder')
  const manifest = parseObject(first.bytes.toString('utf8'))
  if (!manifest) throw invalid('body', 'composer.json in the zip is no JSON object')
  const name = parseComposerName(textOf(manifest.name)?.toLowerCase() ?? '')
  if (given.name !== null && given.name !== name)
    throw invalid('name', `composer.json says name ${name}, not ${given.name}`)
  const version = chooseVersion(manifest, given.version)
  return { name, version, normal: normalComposerVersion(version) ?? version, manifest }
}
