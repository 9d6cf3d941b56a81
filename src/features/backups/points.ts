/** What backups ask of those who know how a forge is put together. */
import type { Hearth } from '#core/hearth.ts'
import { point } from '#core/points.ts'

/** Opens the restored copy of a forge, to look at only. Throws what keeps it from opening. */
export const openCopy = point<(hearth: Hearth, data: string) => Hearth>('backups.open_copy')
