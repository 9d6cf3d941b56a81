/**
 * Imports from stand-ins of GitHub and GitLab while the built executable is killed at moments that
 * are spread over all requests: nothing twice, nothing missing.
 * `bun test/system/import-kills.ts [--kills 30] [--issues 120] [--comments 120]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { startStandIn, type Dialect, type Project } from '../features/imports/stand-in.ts'
import { startBackend } from '../git/support/backend.ts'
import { hasEnded, ImportingForge } from './imports/importing-forge.ts'
import { makeProject } from './imports/project.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  issues: { kind: 'count', default: '120', help: 'How many issues the repository has.' },
  comments: { kind: 'count', default: '120', help: 'How many comments one issue has.' },
  kills: { kind: 'count', default: '30', help: 'How often the forge is killed, per dialect.' },
} as const satisfies Record<string, Option>

const TESTED = ['github_api', 'gitlab_api'] as const satisfies readonly Dialect[]
/** Kills of one import are so many moments apart, so that a page fits between two. */
const MOMENTS_APART = 5

/** Gives how many imports were not as the whole one. */
async function killImports(
  forge: ImportingForge,
  dialect: Dialect,
  project: Project,
  gitUrl: string,
  wanted: number,
): Promise<number> {
  let count = 0
  const peer = startStandIn(dialect, project, gitUrl, { onRequest: async () => void count++ })
  const source = { source: dialect, url: peer.url }
  const service = dialect.slice(0, 6)
  const first = `${service}-whole`
  const whole = await forge.waitFor((await forge.begin(source, first)).id, hasEnded)
  const total = count
  console.log(`${dialect}: ${whole.state} with ${total} requests`, whole.errors)
  const text = await forge.textOf(first)
  let wrong = whole.state === 'done' ? 0 : 1
  let kills = 0
  for (let round = 0; kills < wanted && round < wanted; round++) {
    const name = `${service}-killed-${round}`
    count = 0
    const between = total / (wanted + 1)
    let moment = between * (1 + (round % MOMENTS_APART))
    const { id } = await forge.begin(source, name)
    for (; kills < wanted; kills++) {
      const at = moment
      const { state } = await forge.waitFor(id, (now) => hasEnded(now) || count >= at)
      if (state !== 'running' && state !== 'queued') break
      await Bun.sleep(Math.random() * 30)
      await forge.killAndStart()
      moment = count + between * MOMENTS_APART
    }
    const killed = await forge.waitFor(id, hasEnded)
    if (!(await forge.isAsWhole(killed, name, first, text))) wrong++
  }
  await peer.close()
  console.log(`${dialect}: ${kills} kills, ${wrong} imports that differ`)
  return kills === wanted ? wrong : wrong + 1
}

if (import.meta.main)
  await runScript('bun test/system/import-kills.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    const project = await makeProject(root, {
      issues: Number(options.issues),
      comments: Number(options.comments),
    })
    const backend = startBackend(root)
    const forge = await ImportingForge.start(root, options.executable)
    try {
      let wrong = 0
      for (const dialect of TESTED)
        wrong += await killImports(forge, dialect, project, backend.url, Number(options.kills))
      return wrong === 0 ? 0 : 1
    } finally {
      await forge.kill()
      await backend.close()
      rmSync(root, { recursive: true, force: true })
    }
  })
