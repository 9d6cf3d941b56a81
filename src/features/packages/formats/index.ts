/** The formats that this executable has. A new one is a folder, a line here and one in `doors.ts`. */
import { Refusal } from '#lib/errors.ts'
import type { Format } from '../format.ts'
import type { PackageType } from '../schema.ts'
import { cargo } from './cargo/format.ts'
import { composer } from './composer/format.ts'
import { container } from './container/format.ts'
import { generic } from './generic/format.ts'
import { go } from './go/format.ts'
import { maven } from './maven/format.ts'
import { npm } from './npm/format.ts'
import { nuget } from './nuget/format.ts'
import { pypi } from './pypi/format.ts'
import { rubygems } from './rubygems/format.ts'

export const FORMATS: readonly Format[] = [
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
]

/** Null for a type that has no format yet. */
export const formatOf = (type: string): Format | null =>
  FORMATS.find((format) => format.type === type) ?? null

export function requireFormat(type: string): Format {
  const format = formatOf(type as PackageType)
  if (!format) throw new Refusal('not_available', `packages of type ${type} are not available here`)
  return format
}
