/** What other features may have to act upon, though it is no news for anybody. */
import { signal } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** What git says of a pull request is known for the commits that it has now. */
export const statsKnown = signal('pulls.stats_known', Type.Object({ pull_id: Type.String() }))
