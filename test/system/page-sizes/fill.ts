/** A workspace in which every text is long and every list has hundreds of entries. */
import { registerPerson } from '../../../scripts/support/forge.ts'
import { asker } from '../../tour/story.ts'
import { pushCode } from './code.ts'
import { fillPackages } from './packages.ts'
import { fillSecurity } from './security.ts'
import { fillSettings } from './settings.ts'
import { fillTracker } from './tracker.ts'
import { times, WORKSPACE, type Filling, type Hearth } from './filling.ts'
import { fillWork } from './work.ts'

/** Fills it, and gives the addresses from which all of it can be reached. */
export async function fillLibrary(hearth: Hearth, token: string): Promise<string[]> {
  const ask = asker(hearth.url, token)
  const reviewer = await registerPerson(hearth, 'grace', hearth)
  const askAsReviewer = asker(hearth.url, reviewer.token)
  const filling: Filling = { hearth, token, ask, askAsReviewer, times }
  await ask('POST', '/workspaces', { slug: WORKSPACE, name: 'The "Library" & <more>' })
  await ask('POST', '/repos', { workspace: WORKSPACE, name: 'long', private: false })
  const starts: string[] = []
  for (const fill of [pushCode, fillTracker, fillWork, fillSecurity, fillPackages, fillSettings])
    starts.push(...(await fill(filling)))
  return starts
}
