/**
 * The conformance suite of the OCI distribution specification against the built executable: with a
 * token and the suite's default options, with blobs and manifests that are cancelled and tagged by
 * digest, and then as a stranger who pulls from a public package. It needs Go, which fetches the suite
 * (https://github.com/opencontainers/distribution-spec, folder `conformance`).
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
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
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  suite: { kind: 'text', default: '', help: 'The folder `conformance` of a checkout.' },
} as const satisfies Record<string, Option>

const SUITE = 'github.com/opencontainers/distribution-spec/conformance'
const VERSION = 'v0.0.0-20260831232431-97274622c111'

/** The folder of the suite, which Go fetches once. */
async function fetchSuite(): Promise<string> {
  const found = await Bun.$`go mod download -json ${SUITE}@${VERSION}`
    .env({
      ...process.env,
      GO111MODULE: 'on',
      GOFLAGS: '-mod=mod',
    })
    .json()
  return String(found.Dir)
}

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

type Suite = { readonly program: string; readonly directory: string; readonly forge: ForgeProcess }

/** Runs the suite with settings of its own; true when nothing failed. */
async function runSuite(
  { program, directory, forge }: Suite,
  what: string,
  settings: Readonly<Record<string, string>>,
): Promise<boolean> {
  const suite = Bun.spawn([program], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      OCI_REGISTRY: new URL(forge.url).host,
      OCI_TLS: 'disabled',
      OCI_REPO1: `${OWNER.workspace}/conformance/one`,
      OCI_REPO2: `${OWNER.workspace}/conformance/two`,
      OCI_RESULTS_DIR: join(directory, 'results'),
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(suite.stdout).text()
  await suite.exited
  process.stdout.write(`${what}:\n${summaryOf(output)}\n`)
  // Without data of its own the suite panics in its report of commit 967efdc, after these counts.
  const count = (name: string): number =>
    Number(new RegExp(`^ {2}${name}\\.+: +(\\d+)$`, 'm').exec(output)?.[1] ?? Number.NaN)
  return count('Pass') > 0 && count('FAIL') === 0 && count('Error') === 0
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number }

const describe = (bytes: string, mediaType: string): Descriptor => ({
  mediaType,
  digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  size: bytes.length,
})

/** Publishes an image with a signature, makes it public, and gives what a stranger may read of it. */
async function publishForStrangers(url: string, token: string, name: string) {
  const send = async (path: string, method: string, body: string, type: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const response = await fetch(url + path, { method, body, headers })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  }
  const image = `/v2/${OWNER.workspace}/${name}`
  const blob = async (bytes: string, type: string): Promise<Descriptor> => {
    const descriptor = describe(bytes, type)
    const path = `${image}/blobs/uploads/?digest=${descriptor.digest}`
    await send(path, 'POST', bytes, 'application/octet-stream')
    return descriptor
  }
  const layer = await blob('layer', 'application/vnd.oci.image.layer.v1.tar')
  const config = await blob('{}', CONFIG)
  const manifest = async (reference: string, more: object): Promise<Descriptor> => {
    const document = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer], ...more }
    const bytes = JSON.stringify(document)
    const descriptor = describe(bytes, MANIFEST)
    await send(`${image}/manifests/${reference || descriptor.digest}`, 'PUT', bytes, MANIFEST)
    return descriptor
  }
  const subject = await manifest('v1', {})
  await manifest('', { subject, artifactType: 'application/vnd.example.signature' })
  const record = `/api/v1/workspaces/${OWNER.workspace}/packages/container/${encodeURIComponent(name)}`
  await send(record, 'PATCH', JSON.stringify({ visibility: 'public' }), 'application/json')
  return {
    OCI_RO_DATA_TAGS: 'v1',
    OCI_RO_DATA_MANIFESTS: subject.digest,
    OCI_RO_DATA_BLOBS: `${layer.digest} ${config.digest}`,
    OCI_RO_DATA_REFERRERS: subject.digest,
  }
}

const STRANGER = {
  OCI_API_PUSH: 'false',
  OCI_API_BLOBS_DELETE: 'false',
  OCI_API_MANIFESTS_DELETE: 'false',
  OCI_API_TAGS_DELETE: 'false',
}

async function runAll(suite: Suite): Promise<boolean> {
  const { token } = await claim(suite.forge)
  const member = { OCI_USERNAME: OWNER.username, OCI_PASSWORD: token }
  const strict = {
    OCI_API_BLOBS_DIGEST_HEADER: 'true',
    OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
    OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
    OCI_API_MANIFESTS_TAG_PARAM: 'true',
  }
  const name = 'conformance/public'
  const readable = await publishForStrangers(suite.forge.url, token, name)
  const repository = { OCI_REPO1: `${OWNER.workspace}/${name}` }
  const results = [
    await runSuite(suite, 'with a token', member),
    await runSuite(suite, 'with every option of the API', { ...member, ...strict }),
    await runSuite(suite, 'as a stranger', { ...STRANGER, ...repository, ...readable }),
  ]
  return results.every(Boolean)
}

await runScript('bun test/system/image-conformance.ts [options]', OPTIONS, async (options) => {
  if (Bun.which('go') === null) {
    process.stdout.write('left out: it needs Go\n')
    return process.env.CI ? 1 : 0
  }
  const directory = mkdtempSync(join(tmpdir(), 'image-conformance-'))
  const suite = options.suite === '' ? await fetchSuite() : options.suite
  const program = await build(suite, directory)
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  try {
    return (await runAll({ program, directory, forge })) ? 0 : 1
  } finally {
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
