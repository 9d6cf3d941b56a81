/** The formats that this executable has. A new one is a folder and a line here. */
import { Refusal } from '#lib/errors.ts'
import { lazy } from '#lib/lazy.ts'
import type { Format } from '../format.ts'
import type { PackageType } from '../schema.ts'
import { cargo } from './cargo/index.ts'
import { composer } from './composer/index.ts'
import { container } from './container/index.ts'
import { generic } from './generic/index.ts'
import { go } from './go/index.ts'
import { maven } from './maven/index.ts'
import { npm } from './npm/index.ts'
import { nuget } from './nuget/index.ts'
import { pypi } from './pypi/index.ts'
import { rubygems } from './rubygems/index.ts'

export const allFormats = lazy((): readonly Format[] => [
  container,
  npm,
  cargo,
  maven,
  nuget,
  rubygems,
  composer,
  pypi,
  generic,
  go,
])

/** Null for a type that has no format yet. */
export const formatOf = (type: string): Format | null =>
  allFormats().find((format) => format.type === type) ?? null

export function requireFormat(type: string): Format {
  const format = formatOf(type as PackageType)
  if (!format) throw new Refusal('not_available', `packages of type ${type} are not available here`)
  return format
}
