/**
 * Reads SARIF of others: the test data of the sarif-sdk, of which every file of version 2.1.0 has to
 * be read with all its results and every other has to be refused by its version, and the hashes
 * that codeql-action adds to its own test data.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineHashes } from '#features/security/code-scanning/sarif/line-hashes.ts'
import {
  MAX_KEPT,
  readRun,
  readRuns,
  SarifFault,
} from '#features/security/code-scanning/sarif/read-sarif.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  sdk: { kind: 'text', default: '', help: 'A repository of microsoft/sarif-sdk.' },
  action: { kind: 'text', default: '', help: 'A repository of github/codeql-action.' },
  multitool: {
    kind: 'text',
    default: '',
    help: 'The program of the npm package @microsoft/sarif-multitool-linux, which makes large files again.',
  },
} as const satisfies Record<string, Option>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/**
 * Makes a file that the copy lacks from the output of TSLint beside it, as the sarif-sdk did. Null
 * unless it is the file that the commit names, byte for byte.
 */
async function remake(repo: string, path: string, multitool: string): Promise<Buffer | null> {
  if (multitool === '' || !/\/TSLint-\d+\.json\.sarif$/.test(path)) return null
  const directory = mkdtempSync(join(tmpdir(), 'hearth-sarif-'))
  try {
    const [source, target] = [join(directory, 'source.json'), join(directory, 'target.sarif')]
    const input = await Bun.$`git -C ${repo} cat-file blob HEAD:${path.slice(0, -'.sarif'.length)}`
      .quiet()
      .nothrow()
    if (input.exitCode !== 0) return null
    writeFileSync(source, input.stdout)
    await Bun.$`${multitool} convert ${source} --tool TSLint --output ${target}`
      .env({ ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1' })
      .quiet()
    const bytes = Buffer.from(
      JSON.stringify(JSON.parse(readFileSync(target, 'utf8').replace(/^\uFEFF/, '')), null, 2),
    )
    const expected = await Bun.$`git -C ${repo} rev-parse HEAD:${path}`.quiet().text()
    const header = Buffer.from(`blob ${bytes.length}\0`)
    const oid = createHash('sha1').update(header).update(bytes).digest('hex')
    return oid === expected.trim() ? bytes : null
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function filesOf(
  repo: string,
  name: RegExp,
  multitool: string,
): Promise<Map<string, Buffer>> {
  const list = await Bun.$`git -C ${repo} ls-tree -r --name-only -z HEAD`.quiet().text()
  const files = new Map<string, Buffer>()
  for (const path of list.split('\0').filter((one) => name.test(one))) {
    const { exitCode, stdout } = await Bun.$`git -C ${repo} cat-file blob HEAD:${path}`
      .quiet()
      .nothrow()
    // Stored snapshots of repositories leave out files of 4 MiB and more, which are 5 in sarif-sdk.
    const bytes = exitCode === 0 ? stdout : await remake(repo, path, multitool)
    if (bytes !== null) files.set(path, bytes)
    if (exitCode !== 0)
      say(
        `  ${path} is not in this copy${bytes === null ? '' : ', and was made again with its hash'}`,
      )
  }
  return files
}

type Result = {
  kind?: string
  level?: string
  baselineState?: string
  suppressions?: { status?: string }[] | null
}
type File = { version?: unknown; runs?: { results?: Result[] | null }[] | null }

/** The file as a plain reader has it; null when it is not JSON. */
function parse(bytes: Buffer): File | null {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  const text = bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text) as File
  } catch {
    return null
  }
}

/** Results that certainly report no fault, by themselves. */
const isQuiet = ({ kind, level, baselineState, suppressions }: Result): boolean =>
  (kind !== undefined && kind !== 'fail') ||
  level === 'none' ||
  baselineState === 'absent' ||
  (suppressions ?? []).some(({ status }) => status === undefined || status === 'accepted')

/** What is wrong with how a file of version 2.1.0 is read. */
function checkRead(bytes: Buffer, file: File): { fault: string | null; results: number } {
  const runs = readRuns(bytes).map(readRun)
  let results = 0
  for (const [at, run] of runs.entries()) {
    const given = file.runs?.[at]?.results ?? []
    results += given.length
    const loud = given.filter((result) => !isQuiet(result)).length
    // A rule may turn off what the result leaves open, so there may be fewer.
    if (run.total > loud) return { fault: `run ${at} has ${run.total} of ${loud} results`, results }
    const silent = given.filter((result) => !isQuiet(result) && result.level !== undefined).length
    if (run.total < silent) return { fault: `run ${at} lost ${silent - run.total}`, results }
    if (run.results.length + run.dropped !== run.total || run.results.length > MAX_KEPT)
      return { fault: `run ${at} does not add up`, results }
    for (const { rule_id, message, place, region } of run.results) {
      const path = 'path' in place ? place.path : place.absolute
      if (rule_id === '' || message === '' || path.split('/').includes('..') || region.line < 1)
        return { fault: `run ${at} has a result that nobody can read`, results }
    }
  }
  return { fault: null, results }
}

async function readCorpus(repo: string, multitool: string): Promise<number> {
  const files = await filesOf(repo, /\.sarif$/, multitool)
  const counts = { read: 0, results: 0, versions: 0, broken: 0 }
  let faults = 0
  for (const [path, bytes] of files) {
    const file = parse(bytes)
    const isCurrent = file?.version === '2.1.0' && Array.isArray(file.runs)
    try {
      const { fault, results } = isCurrent
        ? checkRead(bytes, file)
        : (readRuns(bytes), { fault: 'is read although it is no SARIF 2.1.0', results: 0 })
      counts.read++
      counts.results += results
      if (fault === null) continue
      faults++
      say(`  ${path}: ${fault}`)
    } catch (error) {
      if (!(error instanceof SarifFault)) throw error
      if (file === null) counts.broken++
      else counts.versions++
      const isNamed = file === null || /version|runs/.test(error.message)
      if (!isCurrent && isNamed) continue
      faults++
      say(`  ${path}: ${error.message}`)
    }
  }
  const { read, results, versions, broken } = counts
  say(`${files.size} files: ${read} read with ${results} results, ${versions} of other versions or`)
  say(`without runs and ${broken} that are not JSON refused, ${faults} faults`)
  return files.size === 0 || read === 0 ? faults + 1 : faults
}

type Hashed = {
  partialFingerprints?: { primaryLocationLineHash?: string }
  locations?: {
    physicalLocation?: {
      artifactLocation?: { uri?: string; index?: number }
      region?: { startLine?: number }
    }
  }[]
}
type HashedFile = {
  runs: { results: Hashed[]; artifacts?: { location?: { uri?: string } }[] }[]
}

async function compareHashes(repo: string): Promise<number> {
  const files = await filesOf(repo, /^src\/testdata\//, '')
  let [compared, faults] = [0, 0]
  for (const [path, bytes] of files) {
    if (!path.endsWith('.expected.sarif')) continue
    for (const { results, artifacts = [] } of (JSON.parse(bytes.toString()) as HashedFile).runs)
      for (const { partialFingerprints, locations } of results) {
        const { artifactLocation, region } = locations?.[0]?.physicalLocation ?? {}
        const uri = artifactLocation?.uri ?? artifacts[artifactLocation?.index ?? -1]?.location?.uri
        const source = uri && files.get(`src/testdata/${uri.replace(/^file:\/+/, '')}`)
        const expected = partialFingerprints?.primaryLocationLineHash
        if (!source || expected === undefined) continue
        compared++
        const found = lineHashes(source.toString())[(region?.startLine ?? 1) - 1]
        if (found === expected) continue
        faults++
        say(`  ${path}: ${uri} has ${found}, not ${expected}`)
      }
  }
  say(`${compared} hashes of codeql-action compared, ${faults} differ`)
  return compared === 0 ? 1 : faults
}

await runScript(
  'bun test/system/sarif-corpus.ts --sdk DIR --action DIR [--multitool FILE]',
  OPTIONS,
  async ({ sdk, action, multitool }) => {
    if (sdk === '' || action === '') throw new OptionError('--sdk and --action are required')
    const faults = (await readCorpus(sdk, multitool)) + (await compareHashes(action))
    return faults === 0 ? 0 : 1
  },
)
