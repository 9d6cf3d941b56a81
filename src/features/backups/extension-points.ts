/** Extension points of backups. */
import type { Hearth } from '#core/hearth.ts'
import { extensionPoint } from '#core/extension-points.ts'

/** Opens a restored copy of a forge read-only. Throws when it cannot be opened. */
export const openRestoredCopy =
  extensionPoint<(hearth: Hearth, data: string) => Hearth>('backups.open_copy')
