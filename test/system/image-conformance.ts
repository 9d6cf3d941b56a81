/**
 * The conformance suite of the OCI distribution specification against the built executable, with a
 * token and the suite's default options. It needs Go and a checkout of the suite
 * (https://github.com/opencontainers/distribution-spec, folder `conformance`).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  suite: { kind: 'text', default: '', help: 'The folder `conformance` of a checkout.' },
} as const satisfies Record<string, Option>

/** What the suite prints last, and its failures. */
const summaryOf = (output: string): string =>
  output
    .split('\n')
    .filter((line) => /FAIL|^ {2}(Pass|Skip|Disabled|Error)/.test(line))
    .join('\n')

async function build(suite: string, directory: string): Promise<string> {
  const program = join(directory, 'suite')
  const go = Bun.spawn(['go', 'build', '-o', program, '.'], { cwd: suite, stdout: 'inherit' })
  if ((await go.exited) !== 0) throw new Error(`the suite in ${suite} cannot be built`)
  return program
}

await runScript('bun test/system/image-conformance.ts --suite DIR', OPTIONS, async (options) => {
  if (options.suite === '' || Bun.which('go') === null) {
    process.stdout.write('left out: it needs Go and --suite\n')
    return process.env.CI ? 1 : 0
  }
  const directory = mkdtempSync(join(tmpdir(), 'image-conformance-'))
  const program = await build(options.suite, directory)
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  try {
    const { token } = await claim(forge)
    const suite = Bun.spawn([program], {
      cwd: directory,
      env: {
        PATH: process.env.PATH ?? '',
        OCI_REGISTRY: new URL(forge.url).host,
        OCI_TLS: 'disabled',
        OCI_REPO1: `${OWNER.workspace}/conformance/one`,
        OCI_REPO2: `${OWNER.workspace}/conformance/two`,
        OCI_USERNAME: OWNER.username,
        OCI_PASSWORD: token,
        OCI_RESULTS_DIR: join(directory, 'results'),
      },
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const output = await new Response(suite.stdout).text()
    const status = await suite.exited
    process.stdout.write(`${summaryOf(output)}\n`)
    return status === 0 ? 0 : 1
  } finally {
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
