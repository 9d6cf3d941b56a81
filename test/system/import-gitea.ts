/**
 * Imports a repository of a running Gitea into the built executable and compares record by record,
 * then imports it again while the forge is killed at random moments: nothing twice, nothing missing.
 * `bun test/system/import-gitea.ts --gitea PROGRAM --source FOLDER [--kills 30]`
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, OWNER } from '../../scripts/support/forge.ts'
import { GiteaPeer } from '../../scripts/support/gitea.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { compareWithGitea } from './imports/compare.ts'
import { hasEnded, ImportingForge, stepsOf } from './imports/importing-forge.ts'
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

if (import.meta.main)
  await runScript('bun test/system/import-gitea.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-import-'))
    await Bun.$`chmod 755 ${root}`.quiet()
    const peer = await GiteaPeer.start(join(root, 'gitea'), options.gitea, options.source)
    mkdirSync(join(root, 'scratch'))
    const seeded = await seedGitea(peer, join(root, 'scratch'), {
      issues: Number(options.issues),
      comments: Number(options.comments),
    })
    const forge = await ImportingForge.start(root, options.executable)
    const { api, token } = forge
    const source = { source: 'gitea_api', url: seeded.url, token: seeded.token }
    try {
      const begun = performance.now()
      const whole = await forge.waitFor((await forge.begin(source, 'whole')).id, hasEnded)
      const took = performance.now() - begun
      console.log(`${whole.state} in ${Math.round(took)} ms`, whole.errors)
      const repo = `${OWNER.workspace}/whole`
      const differences = await compareWithGitea(seeded, api, repo)
      for (const line of differences) console.log(`differs: ${line}`)

      const mirrored = await mirrorLargeFiles(api, seeded, peer.url, { url: forge.url, token })
      for (const line of mirrored) console.log(`mirror: ${line}`)
      const reported = await reportChecks(api, seeded)
      for (const line of reported) console.log(`checks: ${line}`)
      const one = await forge.textOf('whole')
      // Long enough for a page, also on a busy machine.
      const longest = Math.max(700, took / 8)
      let kills = 0
      let wrong = 0
      for (let round = 0; kills < Number(options.kills); round++) {
        const name = `killed-${round}`
        const { id } = await forge.begin(source, name)
        for (; kills < Number(options.kills); kills++) {
          // Between two of its starts nothing of it could be cut off.
          const found = await forge.waitFor(id, (now) => now.state === 'running' || hasEnded(now))
          if (hasEnded(found)) break
          await Bun.sleep(50 + Math.random() * longest)
          // After three starts that bring nothing the next one waits for minutes.
          if (kills % 3 === 2)
            await forge.waitFor(id, (now) => hasEnded(now) || stepsOf(now) !== stepsOf(found))
          await forge.killAndStart()
        }
        const killed = await forge.waitFor(id, hasEnded)
        if (!(await forge.isAsWhole(killed, name, 'whole', one))) wrong++
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
