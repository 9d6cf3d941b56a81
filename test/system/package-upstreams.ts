/**
 * Upstreams of packages against the public registries, and against registries of images, gems,
 * Composer and NuGet packages that run here: clients install by the address of a workspace, and then again, from an empty home, while the
 * registries cannot be reached. A client that is not
 * installed is named and left out; with CI in the environment it is a failure.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { Client, type Place } from './package-clients/client.ts'
import { INSTALLS, type Install } from './package-upstreams/clients.ts'
import { pullImages } from './package-upstreams/containers.ts'
import { installFromForge } from './package-upstreams/forges.ts'
import { openGate } from './package-upstreams/gate.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  only: { kind: 'text', default: '', help: 'One type, such as npm or cargo.' },
  tools: { kind: 'text', default: '', help: 'Where tools are fetched to, to be used again.' },
} as const satisfies Record<string, Option>

/** Where each registry is behind the gate. */
const PATHS: Readonly<Record<string, string>> = {
  npm: 'registry.npmjs.org',
  pypi: 'pypi.org',
  cargo: 'index.crates.io',
  go: 'proxy.golang.org',
  maven: 'repo.maven.apache.org/maven2',
}

type Gate = ReturnType<typeof openGate>

async function setUpstream(
  place: Place,
  type: string,
  url: string,
  secret: { readonly username: string; readonly secret: string } | null = null,
): Promise<void> {
  const address = `${place.url}/api/v1/workspaces/${place.workspace}/package-upstreams/${type}`
  const answer = await fetch(address, {
    method: 'PUT',
    headers: { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, ...secret }),
  })
  if (!answer.ok) throw new Error(`${type}: ${answer.status} ${await answer.text()}`)
}

async function runType(
  type: string,
  { name, programs, run }: Install,
  place: Place,
  gate: Gate,
): Promise<number> {
  const missing = programs.filter((program) => Bun.which(program) === null)
  if (missing.length > 0) {
    process.stdout.write(`${name}: left out, ${missing.join(' and ')} not installed\n`)
    return process.env.CI ? 1 : 0
  }
  const client = new Client(name, place, { npm_config_update_notifier: 'false' })
  await setUpstream(place, type, `${gate.url}/${PATHS[type]}`)
  gate.isOpen = true
  const before = gate.requests
  await run(client, 'open')
  client.check('the registry was asked', gate.requests > before)
  gate.isOpen = false
  await run(client, 'closed')
  return client.failures
}

await runScript('bun test/system/package-upstreams.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'package-upstreams-'))
  const gate = openGate()
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' },
  })
  let failures = 0
  try {
    const { token } = await claim(forge)
    const placeOf = (type: string): Place => {
      const own = join(directory, type)
      const tools = options.tools === '' ? join(directory, 'tools') : options.tools
      for (const folder of [own, join(own, 'home'), tools]) mkdirSync(folder, { recursive: true })
      return { url: forge.url, workspace: OWNER.workspace, token, directory: own, tools }
    }
    for (const [type, install] of Object.entries(INSTALLS))
      if (options.only === '' || type === options.only)
        failures += await runType(type, install, placeOf(type), gate)
    if (options.only === '' || options.only === 'container')
      failures += await pullImages(placeOf('container'), setUpstream, options.executable)
    failures += await installFromForge(placeOf, setUpstream, options.executable, options.only)
  } finally {
    await forge.stop()
    gate.stop()
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
