/** The doors of the formats that this executable has. */
import type { FormatDoor } from '../door/format-door.ts'
import { cargoDoor } from './cargo/door.ts'
import { composerDoor } from './composer/door.ts'
import { containerDoor } from './container/door.ts'
import { genericDoor } from './generic/door.ts'
import { goDoor } from './go/door.ts'
import { mavenDoor } from './maven/door.ts'
import { npmDoor } from './npm/door.ts'
import { nugetDoor } from './nuget/door.ts'
import { pypiDoor } from './pypi/door.ts'
import { rubygemsDoor } from './rubygems/door.ts'

const DOORS: readonly FormatDoor[] = [
  containerDoor,
  npmDoor,
  cargoDoor,
  mavenDoor,
  nugetDoor,
  rubygemsDoor,
  composerDoor,
  pypiDoor,
  genericDoor,
  goDoor,
]

/** Null for a type that has no door. */
export const doorOf = (type: string): FormatDoor | null =>
  DOORS.find((door) => door.type === type) ?? null
