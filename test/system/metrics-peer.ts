/**
 * Whether others read the numbers of a forge: starts the executable, has it do a little of
 * everything, and gives what `/metrics` says to `promtool` or to the parser of Prometheus' client
 * for Python, whichever there is. Exits with 1 when it is not taken, and when a documented name is
 * missing.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { METRICS } from '#http/metrics.ts'
import { makeSetting } from '../../scripts/bench/forge/setting.ts'
import { SteadyLoad } from '../../scripts/bench/forge/steady-load.ts'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  python: {
    kind: 'text',
    default: 'python3',
    help: 'A Python that has prometheus_client, where there is no promtool.',
  },
} as const satisfies Record<string, Option>

const PARSE = `
import sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
for family in families:
    assert family.type != 'unknown', family.name
    assert family.documentation, family.name
    assert family.samples or True
print(len(families), 'families,', sum(len(f.samples) for f in families), 'samples')
`

async function judge(
  command: readonly string[],
  text: string,
): Promise<{ status: number; said: string }> {
  const child = Bun.spawn([...command], { stdin: new Blob([text]), stdout: 'pipe', stderr: 'pipe' })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, said: `${out}${error}`.trim() }
}

if (import.meta.main) {
  await runScript(
    'bun test/system/metrics-peer.ts [options]',
    OPTIONS,
    async ({ executable: built, python }) => {
      const directory = mkdtempSync(join(tmpdir(), 'hearth-metrics-'))
      const executable = join(directory, 'hearth')
      copyFileSync(requireBuilt(built), executable)
      const { forge, ...rest } = await makeSetting(executable, join(directory, 'forge'))
      try {
        const load = new SteadyLoad({ forge, ...rest }, join(directory, 'clones'))
        for (let n = 0; n < 16; n++) await load.round(n)
        const text = await (
          await fetch(`${forge.url}/metrics`, {
            headers: { authorization: `Bearer ${rest.token}` },
          })
        ).text()
        const missing = Object.keys(METRICS).filter(
          (name) =>
            !text.includes(`\n# TYPE hearth_${name} `) &&
            !text.startsWith(`# HELP hearth_${name} `),
        )
        if (missing.length > 0)
          throw new Error(`these are documented and missing: ${missing.join(', ')}`)
        const promtool = Bun.which('promtool')
        const command =
          promtool === null
            ? Bun.which(python) === null
              ? null
              : [python, '-c', PARSE]
            : [promtool, 'check', 'metrics']
        if (command === null) throw new OptionError('neither promtool nor python3 is here')
        const { status, said } = await judge(command, text)
        process.stdout.write(
          `${promtool === null ? 'prometheus_client' : 'promtool'}: ${said || 'nothing to say'}\n`,
        )
        return status === 0 ? 0 : 1
      } finally {
        await forge.stop()
        rmSync(directory, { recursive: true, force: true })
      }
    },
  )
}
