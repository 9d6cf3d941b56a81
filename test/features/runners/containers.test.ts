import { expect, test } from 'bun:test'
import {
  allowedOptions,
  portsInContainers,
  portsOfJob,
  readContainer,
  readServices,
  servicesContext,
  wordsOf,
} from '#src/features/runners/execute/containers.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ServiceSpec } from '#runner'
import { containerAccess } from '#src/features/runners/job-containers.ts'
import { profileOfJobs } from '#src/runner/containers/seccomp-profile.ts'
import { withoutPodman } from '#src/runner/containers/podman.ts'
import { variablesOf } from '#src/runner/containers/variables.ts'
import { CONTAINER_UIDS, UidPool, UIDS_OF_JOB } from '#src/runner/uid-pool.ts'
import { makeExecutions } from './executions.ts'

test('words of a line are cut as shells do', () => {
  expect(wordsOf(`a  "b c" 'd "e"' f\\ g "" x"y"z`)).toEqual([
    'a',
    'b c',
    'd "e"',
    'f g',
    '',
    'xyz',
  ])
  expect(wordsOf(' ')).toEqual([])
})

test('options that open the machine to a container are refused', () => {
  const options = '--health-cmd "pg_isready -U me" --health-interval=10s --init -e A=b'
  expect(allowedOptions(options)).toEqual([
    ...['--health-cmd', 'pg_isready -U me', '--health-interval', '10s', '--init', '-e', 'A=b'],
  ])
  for (const one of [
    '--privileged',
    '-v /:/host',
    '--volume=/:/host',
    '--mount type=bind,src=/,dst=/x',
    '--network host',
    '--pid=host',
    '--cap-add ALL',
    '--security-opt seccomp=unconfined',
    '--device /dev/kvm',
    '--userns host',
    '--init=x',
    '--env-file /etc/shadow',
    '--add-host a:b',
    '-- other',
    'image',
    '--user',
  ])
    expect(() => allowedOptions(one)).toThrow(/of a container/)
})

test('images without a registry are those of Docker Hub, and none begins like an option', () => {
  const image = (name: string): string | undefined => readContainer(name)?.image
  expect(image('postgres:16')).toBe('docker.io/library/postgres:16')
  expect(image('acme/tool')).toBe('docker.io/acme/tool')
  expect(image('docker://ghcr.io/acme/tool@sha256:0')).toBe('ghcr.io/acme/tool@sha256:0')
  expect(image('localhost/tool')).toBe('localhost/tool')
  expect(image('localhost:5000/tool')).toBe('localhost:5000/tool')
  expect(readContainer({ image: '' })).toBeNull()
  expect(() => readContainer('--privileged')).toThrow('is no name of an image')
  expect(() => readContainer({ image: 'x', volumes: ['/:/host'] })).toThrow('no volumes')
})

test('the job has the ports of services that its file names, and two never share one', () => {
  const specs = readServices({
    db: { image: 'postgres', ports: [5432, '6000:80/tcp'], env: { A: 1 } },
    none: { image: '' },
    cache: { image: 'redis', ports: ['7000:6379'] },
  })
  expect(specs.map(({ name, env }) => [name, env])).toEqual([
    ['db', { A: '1' }],
    ['cache', {}],
  ])
  const service = (name: string, ...ports: [number, number][]) => ({
    name,
    id: name,
    ports: new Map(ports),
  })
  const running = [
    service('db', [5432, 40001], [80, 40002], [9090, 40004]),
    service('cache', [6379, 40003]),
  ]
  expect([...portsOfJob(specs, running)]).toEqual([
    [5432, 40001],
    [6000, 40002],
    [7000, 40003],
  ])
  const inside = portsInContainers(specs, running, { areStepsThere: true })
  expect([...inside]).toEqual([
    [5432, 40001],
    [80, 40002],
    [9090, 40004],
    [6379, 40003],
    [6000, 40002],
    [7000, 40003],
  ])
  expect(servicesContext(specs, running).db).toEqual({
    id: 'db',
    network: 'bridge',
    ports: { '5432': '5432', '80': '6000' },
  })
  const both = [
    { ...specs[0], ports: new Map([[80, 80]]) },
    { ...specs[1], ports: new Map([[6379, 80]]) },
  ]
  expect(() => portsOfJob(both as ServiceSpec[], running)).toThrow('is that of another service')
  const twins = [service('db', [80, 40001]), service('cache', [80, 40002])]
  expect([...portsInContainers([], twins, { areStepsThere: false })]).toEqual([[80, 40001]])
  expect(() => portsInContainers([], twins, { areStepsThere: true })).toThrow('cannot have here')
  for (const port of ['53/udp', '1-9', 'x', '127.0.0.1:1:1'])
    expect(() => readServices({ x: { image: 'x', ports: [port] } })).toThrow(
      'is none that works here',
    )
})

test('where no containers are, jobs and steps that want one say what is missing', async () => {
  const { execute } = await makeExecutions()
  const job = (more: string): string =>
    `jobs:\n  a:\n    runs-on: ubuntu-latest\n${more}    steps: [{ uses: 'docker://alpine' }]\n`
  const whole = await execute(job('    container: alpine\n'))
  expect(whole.conclusion).toBe('failure')
  expect(whole.reason).toBe(
    'Jobs with container or services need a runner with containers: this one has none',
  )
  const step = await execute(job(''))
  expect(step.reason).toBeNull()
  expect(step.annotations[0]?.message).toContain('alpine needs a runner with containers')
})

test('changes by people without Write have no containers, whatever the machine offers', async () => {
  const hearth = (containers: string) =>
    ({ settings: { jobs: { containers } } }) as unknown as Hearth
  const untrusted = await containerAccess(hearth('podman'), { isTrusted: false })
  expect(untrusted.whyNot).toContain('people without Write')
  await expect(untrusted.findRegistry('docker.io', 443)).rejects.toThrow('people without Write')
  const none = await containerAccess(hearth('none'), { isTrusted: true })
  expect(none.whyNot).toContain('jobs.containers')
})

test('a machine that has only Docker says how jobs get containers there', () => {
  expect(withoutPodman(false)).toBe('podman is not installed on this machine')
  expect(withoutPodman(true)).toContain('sets jobs.containers to docker')
})

test('variables reach a container, and change neither its client nor its arguments', () => {
  const secret = 'line one\nline two'
  const { argv, env, file } = variablesOf({
    PLAIN: 'a b=c',
    PATH: '/image/bin',
    KEY: secret,
    LD_PRELOAD: './job.so',
    CONTAINERS_CONF: 'x\ny',
    NOTIFY_SOCKET: '"/run/x"',
    QUOTED: '"word"',
    'INPUT_MY-NAME': 'x',
    'BAD NAME': 'x',
    'A*': 'x',
  })
  expect(file).toBe('PLAIN=a b=c\nPATH=/image/bin\nLD_PRELOAD=./job.so\nINPUT_MY-NAME=x\n')
  expect(env).toEqual({ KEY: secret, QUOTED: '"word"' })
  expect(argv).toEqual([
    ...['--env', 'KEY', '--env', 'CONTAINERS_CONF=x\ny'],
    ...['--env', 'NOTIFY_SOCKET="/run/x"', '--env', 'QUOTED'],
  ])
})

test('each job has users of its own, and containers have a range each', () => {
  const pool = new UidPool(CONTAINER_UIDS, 3)
  const uids = ['a', 'b', 'a', 'c'].map((id) => pool.of(id))
  expect(uids.map((uid) => (uid - CONTAINER_UIDS.first) / UIDS_OF_JOB)).toEqual([3, 4, 3, 5])
  pool.release('a')
  expect(pool.of('d')).toBe(uids[0] ?? 0)
})

test('the filter of containers has sockets of four families, no namespaces and no other machine', () => {
  const profile = profileOfJobs(
    JSON.stringify({
      defaultAction: 'SCMP_ACT_ERRNO',
      archMap: [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] }],
      syscalls: [
        { names: ['read', 'socket', 'clone', 'clone3', 'unshare'], action: 'SCMP_ACT_ALLOW' },
        { names: ['socket'], action: 'SCMP_ACT_ALLOW', includes: { caps: ['CAP_AUDIT_WRITE'] } },
        { names: ['socketcall'], action: 'SCMP_ACT_ALLOW' },
      ],
    }),
  )
  const rule = (name: string, op: string, value: number) => ({
    names: [name],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index: 0, value, valueTwo: 0, op }],
  })
  expect(JSON.parse(profile)).toEqual({
    defaultAction: 'SCMP_ACT_ERRNO',
    archMap: [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] }],
    syscalls: [
      { names: ['read'], action: 'SCMP_ACT_ALLOW' },
      ...[1, 2, 10, 16].map((family) => rule('socket', 'SCMP_CMP_EQ', family)),
      rule('clone', 'SCMP_CMP_MASKED_EQ', 0x7e020000),
    ],
  })
})
