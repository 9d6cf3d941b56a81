/**
 * Holds the order of versions against the implementation of each ecosystem, on random pairs: `semver`
 * of npm, `ComparableVersion` of Maven, `NuGet.Versioning`, `Gem::Version`, `composer/semver`, and pip's
 * `packaging`; of NuGet also the normal forms. A program that is not there is named and left out; with CI in the
 * environment that is a failure.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { composerKey, normalComposerVersion } from '#lib/versions/composer.ts'
import { gemKey } from '#lib/versions/gem.ts'
import { compareMavenVersions, mavenKey } from '#lib/versions/maven.ts'
import { normalNugetVersion, nugetKey, parseNugetVersion } from '#lib/versions/nuget.ts'
import { parsePythonVersion, pythonKey } from '#lib/versions/pep440.ts'
import { parseSemver, semverKey } from '#lib/versions/semver.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { findNuget } from './package-clients/nuget.ts'

const OPTIONS = {
  pairs: { kind: 'count', default: '10000', help: 'Pairs for each ecosystem.' },
  seed: { kind: 'count', default: '', help: 'The seed of the pairs.' },
  tools: { kind: 'text', default: '', help: 'Where nuget.exe is fetched to, to be used again.' },
} as const satisfies Record<string, Option>

const MAVEN = '3.9.11'

/** Mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

type Random = ReturnType<typeof randomOf>
const oneOf = (random: Random, choices: readonly string[]): string =>
  choices[random(choices.length)] as string

const NUMBERS = ['0', '1', '2', '9', '10', '11', '100', '2147483648', '99999999999999999999']
const numbers = (random: Random, least: number, most: number): string =>
  Array.from({ length: least + random(most - least + 1) }, () => oneOf(random, NUMBERS)).join('.')

const IDENTIFIERS = ['alpha', 'beta', 'rc', 'a', 'A', 'b-1', '0', '1', '2', '10', 'x10', '-', '0a']

function semverText(random: Random): string {
  const identifiers = Array.from({ length: random(4) }, () => oneOf(random, IDENTIFIERS))
  const suffix = identifiers.length === 0 ? '' : `-${identifiers.join('.')}`
  return `${numbers(random, 3, 3).replaceAll('99999999999999999999', '3')}${suffix}`
}

const GEM_PARTS = ['0', '1', '2', '10', '00', 'a', 'b', 'rc', 'A', 'pre', 'b2', '0a', '1b0']
const gemText = (random: Random): string =>
  [
    numbers(random, 1, 3),
    ...Array.from({ length: random(4) }, () => oneOf(random, GEM_PARTS)),
  ].join(oneOf(random, ['.', '.', '.', '-']))

const MAVEN_PARTS = [...GEM_PARTS, 'alpha', 'beta1', 'm2', 'SNAPSHOT', 'ga', 'final', 'sp', 'foo']
/** Also with text between dots, on which Maven's order has circles. */
function mavenText(random: Random): string {
  let text = numbers(random, 1, 3)
  for (let count = random(4); count > 0; count--)
    text += `${oneOf(random, ['.', '-', '-', ''])}${oneOf(random, MAVEN_PARTS)}`
  return text
}

/** Numbers, and one qualifier that is no part between dots: what projects publish. */
const plainMavenText = (random: Random): string =>
  `${numbers(random, 1, 4)}${oneOf(random, ['', '-'])}${oneOf(random, MAVEN_PARTS.slice(5))}${oneOf(random, ['', '-1', '2'])}`

function composerText(random: Random): string {
  const stability = oneOf(random, ['', '', '-alpha', '-beta', 'RC', '-rc', '.p', '-patch', '-dev'])
  const number = oneOf(random, ['', '1', '2', '10', '.3', '2.1'])
  const core = numbers(random, 1, 4).replace(/^\d{6,}/, '7')
  return oneOf(random, [`${core}${stability}${number}`, `v${core}`, '20240102', `${core}-dev`])
}

const NUGET_LABELS = [...IDENTIFIERS, 'Rc', '01', '2147483648', '-1', 'α']
function nugetText(random: Random): string {
  const labels = Array.from({ length: random(4) }, () => oneOf(random, NUGET_LABELS))
  const core = numbers(random, 1, 4).replaceAll('99999999999999999999', '2147483647')
  const build = oneOf(random, ['', '', '', '+1', '+a.b'])
  return `${oneOf(random, ['', '', '0'])}${core}${labels.length === 0 ? '' : `-${labels.join('.')}`}${build}`
}

const PYTHON_TEXTS = ['a', 'alpha1', '-b2', '.rc.10', 'c0', '.pre', '_beta', '']
function pythonText(random: Random): string {
  const parts = [
    oneOf(random, ['', '', '', 'v', '1!', '0!']),
    numbers(random, 1, 4),
    oneOf(random, PYTHON_TEXTS),
    oneOf(random, ['', '', '', '.post1', '-1', '.post', 'rev10', '.r2']),
    oneOf(random, ['', '', '', '.dev0', 'dev', '_DEV-10']),
    oneOf(random, ['', '', '', '+local', '+1.2', '+1', '+a.10', '+A_9', '+x!']),
  ]
  return parts.join('')
}

type Ecosystem = {
  readonly name: string
  readonly generate: (random: Random) => string
  /** Null for a text that is no version. */
  readonly compare: (a: string, b: string) => number | null
  /** The normal form of a version, which the command prints after the order. */
  readonly normal?: (version: string) => string
  /** The command that reads pairs and prints their order; null when it is not there. */
  readonly command: (directory: string, tools: string) => Promise<readonly string[] | null>
}

const RUBY = `$stdin.each_line { |line| a, b = line.split; begin
  puts Gem::Version.new(a) <=> Gem::Version.new(b); rescue ArgumentError; puts "none"; end }`

const PYTHON = `import sys
from pip._vendor.packaging.version import InvalidVersion, Version
for line in sys.stdin:
    a, b = line.split()
    try:
        a, b = Version(a), Version(b)
        print((a > b) - (a < b), a, b)
    except InvalidVersion:
        print("none")`

const COMPOSER = `require '/usr/share/php/Composer/Semver/autoload.php';
$p = new Composer\\Semver\\VersionParser();
while (($line = fgets(STDIN)) !== false) { [$a, $b] = explode(' ', trim($line));
  try { $a = $p->normalize($a); $b = $p->normalize($b); echo version_compare($a, $b), " $a $b\\n"; }
  catch (UnexpectedValueException $e) { echo "none\\n"; } }`

const NPM = `const semver = require(process.argv[1]);
for (const line of require('fs').readFileSync(0, 'utf8').trim().split('\\n')) {
  const [a, b] = line.split(' ');
  console.log(semver.valid(a) && semver.valid(b) ? semver.compare(a, b) : 'none') }`

const ifInstalled = (program: string, ...more: string[]): Promise<readonly string[] | null> =>
  Promise.resolve(Bun.which(program) === null ? null : [program, ...more])

async function npmCommand(): Promise<readonly string[] | null> {
  if (Bun.which('npm') === null) return null
  const root = (await Bun.$`npm root -g`.quiet().text()).trim()
  return ['node', '-e', NPM, join(root, 'npm/node_modules/semver')]
}

async function mavenCommand(directory: string): Promise<readonly string[] | null> {
  if (Bun.which('mvn') === null || Bun.which('javac') === null) return null
  const folder = join(homedir(), '.m2/repository/org/apache/maven/maven-artifact', MAVEN)
  const jar = join(folder, `maven-artifact-${MAVEN}.jar`)
  if (!existsSync(jar))
    await Bun.$`mvn -q dependency:get -Dartifact=org.apache.maven:maven-artifact:${MAVEN}`.quiet()
  const source = join(import.meta.dir, 'version-orders/CompareMaven.java')
  await Bun.$`javac -cp ${jar} -d ${directory} ${source}`.quiet()
  return ['java', '-cp', `${jar}:${directory}`, 'CompareMaven']
}

async function nugetCommand(directory: string, tools: string): Promise<readonly string[] | null> {
  if (Bun.which('mono') === null || Bun.which('mcs') === null) return null
  const nuget = await findNuget(tools)
  if (nuget === null) return null
  const program = join(directory, 'CompareNuget.exe')
  await Bun.$`mcs -out:${program} ${join(import.meta.dir, 'version-orders/CompareNuget.cs')}`.quiet()
  return ['mono', program, nuget]
}

const compareNuget = (a: string, b: string): number | null => {
  const [left, right] = [parseNugetVersion(a), parseNugetVersion(b)]
  return left && right ? compareKeys(nugetKey(left), nugetKey(right)) : null
}

const normalNuget = (text: string): string => {
  const version = parseNugetVersion(text)
  return version === null ? '' : normalNugetVersion(version)
}

const compareSemver = (a: string, b: string): number | null => {
  const [left, right] = [parseSemver(a), parseSemver(b)]
  return left && right ? compareKeys(semverKey(left), semverKey(right)) : null
}

const compareComposer = (a: string, b: string): number | null => {
  const [left, right] = [normalComposerVersion(a), normalComposerVersion(b)]
  return left === null || right === null ? null : compareKeys(composerKey(left), composerKey(right))
}

const comparePython = (a: string, b: string): number | null =>
  parsePythonVersion(a) && parsePythonVersion(b) ? compareKeys(pythonKey(a), pythonKey(b)) : null

const ECOSYSTEMS: readonly Ecosystem[] = [
  { name: 'npm and Cargo', generate: semverText, compare: compareSemver, command: npmCommand },
  {
    name: 'RubyGems',
    generate: gemText,
    compare: (a, b) => compareKeys(gemKey(a), gemKey(b)),
    command: () => ifInstalled('ruby', '-rrubygems', '-e', RUBY),
  },
  {
    name: 'Composer',
    generate: composerText,
    compare: compareComposer,
    command: () =>
      existsSync('/usr/share/php/Composer/Semver/autoload.php')
        ? ifInstalled('php', '-r', COMPOSER)
        : Promise.resolve(null),
  },
  {
    name: 'NuGet',
    generate: nugetText,
    compare: compareNuget,
    normal: normalNuget,
    command: nugetCommand,
  },
  {
    name: 'PyPI',
    generate: pythonText,
    compare: comparePython,
    command: () => ifInstalled('python3', '-c', PYTHON),
  },
  {
    name: 'Maven',
    generate: mavenText,
    compare: compareMavenVersions,
    command: mavenCommand,
  },
  {
    name: 'Maven, sort keys',
    generate: plainMavenText,
    compare: (a, b) => compareKeys(mavenKey(a), mavenKey(b)),
    command: mavenCommand,
  },
]

/** The answers of the real implementation, one for each pair. */
async function answersOf(command: readonly string[], pairs: readonly string[]): Promise<string[]> {
  const input = new TextEncoder().encode(`${pairs.join('\n')}\n`)
  const child = Bun.spawn([...command], { stdin: input, stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  if ((await child.exited) !== 0 || lines.length !== pairs.length)
    throw new Error(`${command[0]} answered ${lines.length} of ${pairs.length} pairs`)
  return lines
}

/** Prints pairs on which both differ, and returns how many they are. */
async function compareWithReal(
  { name, generate, compare, normal, command }: Ecosystem,
  directory: string,
  options: { readonly seed: number; readonly count: number; readonly tools: string },
): Promise<number> {
  const words = await command(directory, options.tools)
  if (words === null) {
    process.stdout.write(`${name}: skipped, its programs are not installed\n`)
    return process.env.CI ? 1 : 0
  }
  const random = randomOf(options.seed)
  const pairs = Array.from({ length: options.count }, () => [generate(random), generate(random)])
  const real = await answersOf(
    words,
    pairs.map(([a, b]) => `${a} ${b}`),
  )
  let differences = 0
  pairs.forEach(([a = '', b = ''], at) => {
    const order = String(compare(a, b) ?? 'none')
    const ours = normal && order !== 'none' ? `${order} ${normal(a)} ${normal(b)}` : order
    const theirs = normal ? real[at] : real[at]?.split(' ')[0]
    if (ours === theirs) return
    if (++differences <= 20)
      process.stdout.write(`${name}: ${a} and ${b}: ${ours}, and ${real[at]} there\n`)
  })
  process.stdout.write(`${name}: ${pairs.length} pairs, ${differences} differences\n`)
  return differences
}

await runScript('bun test/system/version-orders.ts [options]', OPTIONS, async (options) => {
  const seed = options.seed === '' ? Math.floor(Math.random() * 100_000_000) : Number(options.seed)
  process.stdout.write(`seed ${seed}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'version-orders-'))
  const tools = options.tools === '' ? join(directory, 'tools') : options.tools
  mkdirSync(tools, { recursive: true })
  let differences = 0
  try {
    for (const ecosystem of ECOSYSTEMS)
      differences += await compareWithReal(ecosystem, directory, {
        seed,
        count: Number(options.pairs),
        tools,
      })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return differences === 0 ? 0 : 1
})
