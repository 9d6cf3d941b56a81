/**
 * The clients of the registries against the built executable: publish, publish again, install,
 * refusals and what a person sees of them, yank, search. Prints a line for each step. A client that
 * is not installed is named and left out; with CI in the environment it is a failure.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { RUNS, runOne } from './package-clients/runs.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: 'One client, such as cargo or pypi.' },
  tools: { kind: 'text', default: '', help: 'Where tools are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

await runScript('bun test/system/package-clients.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'package-clients-'))
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  let failures = 0
  try {
    const { token } = await claim(forge)
    for (const run of RUNS) {
      if (options.only !== '' && run.name !== options.only) continue
      const own = join(directory, run.name)
      const tools = options.tools === '' ? join(directory, 'tools') : options.tools
      for (const folder of [own, join(own, 'home'), tools]) mkdirSync(folder, { recursive: true })
      const place = { url: forge.url, workspace: OWNER.workspace, token, directory: own, tools }
      failures += await runOne(run, place)
    }
  } finally {
    await forge.stop()
    const faults = (await Bun.file(join(directory, 'log')).text())
      .split('\n')
      .filter((line) => line.includes('"level":"error"'))
    failures += faults.length
    for (const line of faults.slice(0, 10)) process.stdout.write(`FAIL the log: ${line}\n`)
    rmSync(directory, { recursive: true, force: true })
  }
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
