/**
 * Imports a repository of a running Gitea into the built executable and compares record by record,
 * then imports it again while the forge is killed at random moments: nothing twice, nothing missing.
 * `bun test/system/import-gitea.ts --gitea PROGRAM --source FOLDER [--kills 30]`
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  claim,
  EXECUTABLE,
  OWNER,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../../scripts/support/forge.ts'
import { GiteaPeer } from '../../scripts/support/gitea.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { compareWithGitea, recordsOf } from './imports/compare.ts'
import { mirrorLargeFiles } from './imports/mirror-large-files.ts'
import { reportChecks } from './imports/report-checks.ts'
import { seedGitea } from './imports/seed-gitea.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  gitea: { kind: 'text', default: 'gitea', help: 'The program of Gitea.' },
  source: { kind: 'text', default: '.', help: 'The folder of its module, with its templates.' },
  issues: { kind: 'count', default: '60', help: 'How many issues the repository has.' },
  comments: { kind: 'count', default: '120', help: 'How many comments one issue has.' },
  kills: { kind: 'count', default: '30', help: 'How often the forge is killed.' },
} as const satisfies Record<string, Option>

const ENDED = new Set(['done', 'done_with_errors', 'failed', 'cancelled'])
const ENVIRONMENT = { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' }

type Import = { readonly id: string; readonly state: string; readonly errors: string[] }

if (import.meta.main)
  await runScript('bun test/system/import-gitea.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    await Bun.$`chmod 755 ${root}`.quiet()
    const peer = await GiteaPeer.start(join(root, 'gitea'), options.gitea, options.source)
    const launch = (): Promise<ForgeProcess> =>
      startForge({
        executable: requireBuilt(options.executable),
        data: join(root, 'data'),
        log: join(root, 'serve.log'),
        environment: ENVIRONMENT,
      })
    mkdirSync(join(root, 'scratch'))
    const seeded = await seedGitea(peer, join(root, 'scratch'), {
      issues: Number(options.issues),
      comments: Number(options.comments),
    })
    let forge = await launch()
    try {
      const { token } = await claim(forge)
      const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
        const answer = await fetch(`${forge.url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        if (!answer.ok)
          throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
        return (await answer.json()) as T
      }
      const start = (name: string): Promise<Import> =>
        api('POST', '/imports', {
          source: 'gitea_api',
          url: seeded.url,
          token: seeded.token,
          workspace: OWNER.workspace,
          name,
        })
      const wait = async (id: string): Promise<Import> => {
        for (;;) {
          const now = await api<Import>('GET', `/imports/${id}`)
          if (ENDED.has(now.state)) return now
          await Bun.sleep(100)
        }
      }
      const begun = performance.now()
      const whole = await wait((await start('whole')).id)
      console.log(`${whole.state} in ${Math.round(performance.now() - begun)} ms`, whole.errors)
      const repo = `${OWNER.workspace}/whole`
      const differences = await compareWithGitea(seeded, api, repo)
      for (const line of differences) console.log(`differs: ${line}`)

      const mirrored = await mirrorLargeFiles(api, seeded, peer.url, { url: forge.url, token })
      for (const line of mirrored) console.log(`mirror: ${line}`)
      const reported = await reportChecks(api, seeded)
      for (const line of reported) console.log(`checks: ${line}`)
      const one = JSON.stringify(await recordsOf(api, repo))
      let kills = 0
      let wrong = 0
      for (let round = 0; kills < Number(options.kills); round++) {
        const name = `killed-${round}`
        const { id } = await start(name)
        for (; kills < Number(options.kills); kills++) {
          await Bun.sleep(50 + Math.random() * 700)
          if (ENDED.has((await api<Import>('GET', `/imports/${id}`)).state)) break
          await forge.kill()
          forge = await launch()
        }
        const killed = await wait(id)
        const other = JSON.stringify(await recordsOf(api, `${OWNER.workspace}/${name}`))
        const isSame = killed.state === 'done' && one === other.replaceAll(name, 'whole')
        if (!isSame) {
          wrong++
          const there = other.replaceAll(name, 'whole')
          const at = [...one].findIndex((letter, n) => letter !== there[n])
          console.log(`  ${one.slice(at - 80, at + 80)}\n  ${there.slice(at - 80, at + 80)}`)
        }
        console.log(
          `${name}: ${killed.state} ${isSame ? 'as the whole one' : 'differs'}`,
          killed.errors,
        )
      }
      console.log(`${kills} kills, ${wrong} imports that differ`)
      return wrong === 0 &&
        differences.length === 0 &&
        mirrored.length === 0 &&
        reported.length === 0 &&
        whole.state === 'done'
        ? 0
        : 1
    } finally {
      await forge.kill()
      await peer.stop()
      rmSync(root, { recursive: true, force: true })
    }
  })
