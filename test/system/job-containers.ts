/**
 * Jobs with services, in a container and with images as steps, by podman or docker and the built
 * executable: `bun test/system/job-containers.ts --engine docker`. The images are made of this
 * machine's busybox, so it needs root, podman or a daemon of Docker, openssl and busybox
 * (busybox-static), and no registry of others.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  claim,
  EXECUTABLE,
  OWNER,
  registerPerson,
  requireBuilt,
  startForge,
} from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { IMAGE, makeImage, openRegistry, run } from './job-containers/images.ts'
import {
  ACTION,
  BUILD_RESULTS,
  BUILDS,
  BUILT_ACTION,
  GREEDY,
  IS_ROOT,
  OUTSIDE,
  OUTSIDE_SCRIPT,
  pulls,
  RESULTS,
  REFUSED_BUILDS,
  SLOW,
  SLOW_BUILD,
  workflow,
} from './job-containers/workflows.ts'
import { FAR_ADDRESS, NEAR_ADDRESS, openFarHost } from '../runner/far-host.ts'
import { ONE_SECRET } from './runner-parity/files.ts'
import { Repository } from './runner-parity/repository.ts'

const OPTIONS = {
  only: {
    kind: 'text',
    default: '',
    help: 'One part: outside, builds, results, limits, pulls or ends.',
  },
  engine: {
    kind: 'text',
    default: 'podman',
    help: 'The program with the containers: podman or docker.',
  },
  network: { kind: 'text', default: 'internet', help: 'The network of jobs: internet or none.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const isRoot = process.getuid?.() === 0

let failures = 0
function check(what: string, isRight: boolean, said = ''): void {
  if (!isRight) failures++
  process.stdout.write(`${isRight ? 'ok  ' : 'FAIL'} ${what}\n`)
  if (!isRight) process.stdout.write(`${said.slice(0, 6_000).replace(/^/gm, '       ')}\n`)
}

const address = (): string =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '10.0.0.1'

/** The client of podman or docker. */
let engine = 'podman'
/** Containers of jobs; all of this machine, so nothing else may run some meanwhile. */
const containers = (): string =>
  run(engine, 'ps', '-a', '--format', '{{.Names}}', '--filter', 'name=^/?hearth-job')
/** Processes of builds; all of this machine. */
const builders = (): string =>
  Bun.spawnSync(['pgrep', '-fa', '^podman --root .* build ']).stdout.toString()
/** Whether root of a container is root of the machine. */
const sharesRoot = (): boolean =>
  engine === 'docker' &&
  !run('docker', 'info', '--format', '{{.SecurityOptions}}').includes('userns')
/** Processes of networks of containers. */
const networks = (): string =>
  Bun.spawnSync(['pgrep', '-fa', '^slirp4netns .*--api-socket']).stdout.toString()
const volumes = (): string => run(engine, 'volume', 'ls', '-q')

async function checkResults(repository: Repository, port: number): Promise<void> {
  await repository.push({
    ...ACTION,
    'a.txt': 'content',
    '.hearth/workflows/ci.yml': workflow([
      `${address()}:${port}`,
      `10.0.2.2:${port}`,
      `198.51.100.2:${port}`,
      `169.254.169.254`,
    ]),
  })
  const { lines, text, conclusions } = await repository.outcome()
  const results = [...RESULTS, ...(sharesRoot() ? [IS_ROOT] : [])].toSorted()
  check(
    'steps, services, images and actions give their results, and walls hold',
    lines.toSorted().join('\n') === results.join('\n'),
    `${lines.join('\n')}\n${text}`,
  )
  check('the service got its secret, and no log shows it', text.includes('word=***'), text)
  check(
    'an option that opens the machine is refused',
    text.includes('--privileged of a container is not allowed'),
  )
  check('a folder of the machine is refused', text.includes('Containers have no volumes here'))
  const expected = 'run failure,beside success,mounted failure,refused failure,within failure'
  check('each job ends as it should', conclusions.join() === expected, conclusions.join())
  check('no container is left', containers() === '', containers())
}

async function checkLimits(repository: Repository): Promise<void> {
  await repository.push({ '.hearth/workflows/ci.yml': GREEDY })
  const { lines, text, conclusions, logs } = await repository.outcome()
  check('no job got more than it may', lines.join() === '', `${lines.join('\n')}\n${text}`)
  const greedy = ['alone', 'image', 'memory', 'sandbox', 'service']
  const expected = ['run', 'alone', 'disk', ...greedy.slice(1)].map((name) => `${name} failure`)
  check('those that take too much fail', conclusions.join() === expected.join(), conclusions.join())
  for (const name of greedy)
    check(
      `the log of the job ${name} names memory`,
      /##\[error\].*out of memory \(512 MiB/.test(logs[name] ?? ''),
      logs[name],
    )
  check('a log names the disk', text.includes('out of disk space'), text)
  check('no container is left', containers() === '', containers())
}

async function checkBuilds(repository: Repository, port: number, far: string): Promise<void> {
  const probed = [`${address()}:${port}`, `10.0.2.2:${port}`, `198.51.100.2:${port}`]
  await repository.push({
    ...BUILT_ACTION([...probed, `${NEAR_ADDRESS}:${far.split(':')[1]}`], far),
    '.hearth/workflows/ci.yml': BUILDS,
  })
  const { lines, text, conclusions, logs } = await repository.outcome()
  // With Docker it is said by each build.
  const others = sharesRoot() ? lines.filter((line) => line !== IS_ROOT) : lines
  check(
    'actions are built from a Dockerfile once, and walls hold',
    others.join('\n') === BUILD_RESULTS.join('\n'),
    `${lines.join('\n')}\n${text}`,
  )
  const expected =
    'run failure,disk failure,first success,memory failure,second success,together failure'
  check('each job with a build ends as it should', conclusions.join() === expected, text)
  check(
    'a log names the disk of a build',
    text.includes('could not be built: it was out of disk space'),
    text,
  )
  check(
    'and memory',
    /could not be built: it was out of memory|tail: out of memory/.test(text),
    text,
  )
  check(
    'and that of all its processes together',
    logs.together?.includes('could not be built: it was out of memory') ?? false,
    logs.together,
  )
  check('and the instruction that failed', /STEP "RUN exit 7".*status 7/.test(text), text)
  check('with what was printed before it', /^said before$/m.test(text), text)
  check('no container is left', containers() === '', containers())
}

/** What builds with Docker do not support. */
async function checkRefusedBuilds(repository: Repository): Promise<void> {
  await repository.push({ '.hearth/workflows/ci.yml': REFUSED_BUILDS })
  const { lines, text } = await repository.outcome()
  check('nothing runs of a build that is not supported', lines.length === 0, text)
  check(
    'and the log names the line, and the way out',
    /line 3: ADD does not fetch https:.* here; .*RUN/.test(text) &&
      /line 3: RUN --mount=type=secret is not supported here; .*inputs/.test(text),
    text,
  )
  check(
    'a user that the image lacks is named',
    /nobody-here/.test(text.replace(/^STEP.*/gm, '')),
    text,
  )
}

/** Images of builds that did not end. */
const unnamedImages = (): string =>
  run(engine, 'images', '-aq', '--filter', 'dangling=true', '--filter', 'label=hearth.jobs')

async function checkCutBuilds(
  create: (name: string) => Promise<Repository>,
  directory: string,
): Promise<void> {
  const building = await create('building')
  await building.push({ '.hearth/workflows/ci.yml': SLOW_BUILD })
  const buildSeconds = await building.cancelRunning()
  check(`a cancelled build ends in time (${buildSeconds} s)`, buildSeconds <= 13)
  const mounted = run('cat', '/proc/self/mounts').includes(directory)
  check('nothing of it is mounted or runs', !mounted && builders() === '', builders())
  if (engine !== 'docker') return
  check('no container of it is left', containers() === '', containers())
  check('and no image', unnamedImages() === '', unnamedImages())
}

async function checkPulls(
  repository: Repository,
  registry: { host: string },
  digest: string,
  port: number,
): Promise<void> {
  const file = pulls(registry.host, port).replace('sha256:DIGEST', digest)
  await repository.push({ '.hearth/workflows/ci.yml': file })
  const { lines, text, conclusions } = await repository.outcome()
  check('an image is fetched with credentials', lines.join() === 'RESULT pulled', text)
  const expected = 'run failure,digest failure,loopback failure,mine success,theirs failure'
  check('and nobody gets it without', conclusions.join() === expected, conclusions.join())
}

/** A change by somebody without a role, after its approval. */
async function checkOutside(repository: Repository, token: string, port: number): Promise<void> {
  const probed = [`${address()}:${port}`, `10.0.2.2:${port}`, '169.254.169.254']
  const file = OUTSIDE(probed)
  await repository.push({ '.hearth/workflows/ci.yml': file, 'build.sh': 'echo built\n' })
  await repository.proposeFrom(token, 'build.sh', OUTSIDE_SCRIPT)
  const { lines, text, conclusions, caches } = await repository.outcome()
  const expected = 'run failure,image failure,tries success,within failure'
  check('a change from outside gets no container', conclusions.join() === expected, text)
  check('and is told so', text.includes('none for changes by people without Write'), text)
  const results = ['key []', 'reads 200', 'secrets 403', 'tried', 'writes 403']
  check(
    'nor secrets, the network of the machine, or a token that writes',
    lines.join() === results.map((line) => `RESULT ${line}`).join(),
    `${lines.join('\n')}\n${text}`,
  )
  check('nor a cache that others read', caches.length === 0, caches.join())
  check('no container is left', containers() === '', containers())
}

await runScript('bun test/system/job-containers.ts', OPTIONS, async (given) => {
  const { executable, only, network } = given
  engine = given.engine
  requireBuilt(executable)
  const directory = mkdtempSync(join(tmpdir(), 'hjc-'))
  await makeImage(engine, directory)
  // On all devices of this machine, as a database may be that a container should not find.
  let asked = 0
  const answer = (): Response => {
    asked++
    return new Response('found')
  }
  const neighbour = Bun.serve({ hostname: '0.0.0.0', port: 0, fetch: answer })
  const port = Number(neighbour.port)
  const found = await fetch(`http://${address()}:${port}/`).then((response) => response.text())
  check('this machine reaches the server that containers must not reach', found === 'found')
  const registry = await openRegistry(engine, directory, address(), ONE_SECRET)
  const settings = isRoot ? '/etc' : join(homedir(), '.config')
  const certificates = engine === 'docker' ? 'docker/certs.d' : 'containers/certs.d'
  const trusted = join(settings, certificates, registry.host)
  mkdirSync(trusted, { recursive: true })
  await Bun.write(join(trusted, 'ca.crt'), Bun.file(registry.certificate))
  const options = {
    executable,
    data: join(directory, 'forge'),
    log: join(directory, 'log'),
    environment: {
      HEARTH_ACCOUNTS_SIGN_UP: 'open',
      HEARTH_JOBS_CONTAINERS: engine,
      HEARTH_JOBS_NETWORK: network,
      // Where podman has the images of an ordinary user.
      HOME: homedir(),
      HEARTH_CHECKS_MEMORY: '512M',
      HEARTH_CHECKS_DISK: '300M',
      HEARTH_OUTBOUND_ALLOW: address(),
    },
  }
  const before = volumes()
  let forge = await startForge(options)
  try {
    const { token } = await claim(forge)
    const create = (name: string): Promise<Repository> =>
      Repository.create(forge.url, token, OWNER.workspace, name, directory)
    const isWanted = (part: string): boolean => only === '' || only === part
    if (isWanted('outside')) {
      const outsider = await registerPerson(forge, 'eve', options)
      await checkOutside(await create('outside'), outsider.token, port)
    }
    if (isWanted('builds')) {
      const far = await openFarHost()
      try {
        await checkBuilds(await create('builds'), port, `${FAR_ADDRESS}:${far.port}`)
      } finally {
        far.close()
      }
      if (engine === 'docker') await checkRefusedBuilds(await create('refused'))
      await checkCutBuilds(create, directory)
    }
    if (isWanted('results')) await checkResults(await create('site'), port)
    if (isWanted('limits')) await checkLimits(await create('limits'))
    if (isWanted('pulls')) {
      const manifest = readFileSync(join(directory, 'registry', 'manifest.json'))
      const digest = `sha256:${new Bun.CryptoHasher('sha256').update(manifest).digest('hex')}`
      asked = 0
      await checkPulls(await create('pulls'), registry, digest, port)
      check('nothing of this machine was asked for an image', asked === 0, String(asked))
    }
    if (isWanted('ends')) {
      const slow = await create('slow')
      await slow.push({ '.hearth/workflows/ci.yml': SLOW })
      const seconds = await slow.cancelRunning()
      check(`a cancelled job ends in time (${seconds} s)`, seconds <= 13)
      check('its containers are gone', containers() === '', containers())
      check('and their networks', networks() === '', networks())
      const cut = await create('cut')
      await cut.push({ '.hearth/workflows/ci.yml': SLOW })
      await cut.whenRunning()
      await forge.kill()
      check('a killed forge leaves containers', containers() !== '')
      if (engine === 'docker') check('but not their networks', networks() === '', networks())
      forge = await startForge(options)
      const end = performance.now() + 20_000
      while (containers() !== '' && performance.now() < end) await Bun.sleep(300)
      check('which its next start ends', containers() === '', containers())
      if (engine === 'docker') {
        const half = await create('half')
        await half.push({ '.hearth/workflows/ci.yml': SLOW_BUILD })
        await half.whenRunning()
        await forge.kill()
        check('a killed forge leaves an image that is half built', unnamedImages() !== '')
        forge = await startForge(options)
        const last = performance.now() + 20_000
        const isLeft = (): boolean => containers() + unnamedImages() !== ''
        while (isLeft() && performance.now() < last) await Bun.sleep(300)
        check('which its next start removes', !isLeft(), containers() + unnamedImages())
      }
    }
    check('no volume is left', volumes() === before, volumes())
  } finally {
    await forge.stop()
    await registry.stop()
    await neighbour.stop(true)
    rmSync(trusted, { recursive: true, force: true })
    const fetched = run(engine, 'images', '-q', `${registry.host}/acme/tool`)
    Bun.spawnSync([engine, 'rmi', '-f', IMAGE, ...fetched.split('\n').filter((id) => id !== '')])
    const half = unnamedImages()
    if (half !== '') Bun.spawnSync([engine, 'rmi', '-f', ...half.split('\n')])
    const built = run(engine, 'images', '-q', '--filter', 'label=hearth.built')
    if (built !== '') Bun.spawnSync([engine, 'rmi', '-f', ...built.split('\n')])
    // Files of jobs belong to users of containers, whom an ordinary user is only within podman.
    Bun.spawnSync([...(isRoot ? [] : ['podman', 'unshare']), 'rm', '-rf', '--', directory])
  }
  return failures === 0 ? 0 : 1
})
