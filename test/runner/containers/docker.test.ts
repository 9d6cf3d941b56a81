/** What Docker is asked for, and what is refused, before any container is made. */
import { expect, test } from 'bun:test'
import { dockerEnvironment, faultOfInfo, rootOfContainers } from '#src/runner/containers/docker.ts'
import { upperFolders } from '#src/runner/containers/docker-engine.ts'
import { ownOptions } from '#src/runner/containers/docker-options.ts'
import { limitArguments } from '#src/runner/containers/engine.ts'
import { rulesOf } from '#src/runner/containers/limit-network.ts'
import { localName } from '#src/runner/containers/load-image.ts'
import { ownProfile } from '#src/runner/containers/seccomp-profile.ts'
import { PATH } from '#src/runner/shell.ts'

const INFO = {
  driver: 'overlay2',
  limitsMemory: true,
  limitsProcesses: true,
  root: '/var/lib/docker',
  security: '[name=apparmor name=seccomp,profile=default]',
}

test('a daemon that cannot keep the limits of jobs is refused with the way out', () => {
  expect(faultOfInfo(INFO)).toBeNull()
  expect(faultOfInfo({ ...INFO, driver: 'overlayfs' })).toBeNull()
  expect(faultOfInfo({ ...INFO, driver: 'vfs' })).toContain('"storage-driver": "overlay2"')
  expect(faultOfInfo({ ...INFO, limitsMemory: false })).toContain('no control groups for memory')
  const neither = { ...INFO, limitsMemory: false, limitsProcesses: false }
  expect(faultOfInfo(neither)).toContain('for memory and pids')
  expect(faultOfInfo({ ...INFO, security: '[name=apparmor]' })).toContain('no seccomp')
  expect(faultOfInfo({ ...INFO, security: `${INFO.security} name=rootless` })).toContain('podman')
})

test('root of containers is root of the machine, or that of userns-remap', () => {
  expect(rootOfContainers(INFO)).toBe(0)
  const root = '/var/lib/docker/231072.231072'
  const remapped = { root, security: '[name=seccomp,profile=default name=userns]' }
  expect(rootOfContainers(remapped)).toBe(231_072)
  expect(rootOfContainers({ ...remapped, security: INFO.security })).toBe(0)
})

test('the client gets the daemon of this machine, and nothing of the environment', () => {
  expect(dockerEnvironment()).toEqual({
    PATH,
    LANG: 'C.UTF-8',
    DOCKER_CONFIG: '/nonexistent',
    DOCKER_HOST: 'unix:///var/run/docker.sock',
  })
})

test('a container writes where the layer above all others of its root is', () => {
  const mounts = [
    '700 600 0:90 / / rw,relatime - overlay overlay rw,lowerdir=/a:/b,upperdir=/d/upper,workdir=/d/w',
    '701 700 0:91 / /proc rw - proc proc rw',
    '702 700 0:92 / /mnt rw - overlay overlay rw,lowerdir=/a,upperdir=/other,workdir=/w',
  ].join('\n')
  expect(upperFolders(mounts)).toEqual(['/d/upper'])
  expect(upperFolders('')).toEqual([])
})

test('a container has few capabilities, the filter and limits, and nothing opens it', () => {
  const limits = { memoryBytes: 1000, processes: 10, files: 20 }
  const options = { limits: { ...limits, timeMs: 0, diskBytes: 0, outputBytes: 0 } }
  const given = limitArguments('one', { ...options, runnerDirectory: '/jobs' }, '/seccomp.json')
  const text = given.join(' ')
  for (const part of [
    '--cap-drop all',
    '--security-opt no-new-privileges',
    '--security-opt seccomp=/seccomp.json',
    '--memory 1000 --pids-limit 10',
    '--memory-swap 1000',
    '--pull never',
    '--label hearth.jobs=/jobs',
  ])
    expect(text).toContain(part)
  for (const part of ['NET_RAW', 'MKNOD', 'SYS_ADMIN', 'SYS_PTRACE', 'DAC_READ', 'privileged'])
    expect(text).not.toContain(part)
})

test('options are those of podman where docker reads them differently', () => {
  const own = (options: string[], entrypoint: string | null = null) =>
    ownOptions({ options, entrypoint, place: null })
  expect(own(['--hostname', 'db', '--init', '-h', 'last', '--cpus', '1'])).toEqual({
    options: ['--health-interval', '2s', '--init', '--cpus', '1'],
    hostname: 'last',
    entrypoint: null,
    args: [],
  })
  const list = own(['--entrypoint', '["tail", "-f", "x"]'])
  expect([list.entrypoint, list.args]).toEqual(['tail', ['-f', 'x']])
  const broken = own(['--entrypoint', '["tail", 1]'])
  expect([broken.entrypoint, broken.args]).toEqual(['["tail", 1]', []])
  // That of the step counts.
  const both = own(['--entrypoint', '["tail", "-f"]'], '/bin/sh')
  expect([both.entrypoint, both.args]).toEqual(['/bin/sh', []])
  // A value is not taken for an option.
  expect(own(['--health-cmd', '--no-healthcheck']).options).toContain('2s')
  expect(own(['--no-healthcheck']).options).toEqual(['--no-healthcheck'])
})

test('an image by its digest has a name that the daemon can have', () => {
  const hex = 'a'.repeat(64)
  expect(localName(`ghcr.io/o/n:1@sha256:${hex}`)).toBe(`ghcr.io/o/n:sha256-${hex}`)
  expect(localName('host:5000/o/n')).toBe('host:5000/o/n')
  expect(localName('docker.io/library/alpine:3')).toBe('docker.io/library/alpine:3')
})

test('a service without a network answers connections to its ports and begins none', () => {
  const open = ['198.51.100.2']
  expect(rulesOf('none', { isOfSteps: false, open })).toBe(
    'rule add pref 10 to 198.51.100.2 lookup main\nrule add pref 20 to 0.0.0.0/0 unreachable\n',
  )
  expect(rulesOf('none', { isOfSteps: true, open })).toBeNull()
  expect(rulesOf('internet', { isOfSteps: true })).toContain('169.254.0.0/16 unreachable')
})

test('the filter of system calls has none that leave a container', () => {
  type Rule = { names: string[]; action: string; args?: { index: number; value: number }[] }
  for (const arch of ['x64', 'arm64']) {
    const profile = JSON.parse(ownProfile(arch)) as { defaultAction: string; syscalls: Rule[] }
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO')
    const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW')
    const whole = allowed.filter(({ args }) => args === undefined).flatMap(({ names }) => names)
    for (const name of ['read', 'openat2', 'execve', 'futex', 'ptrace', 'fchmodat2'])
      expect(whole).toContain(name)
    for (const name of [
      ...['mount', 'umount2', 'unshare', 'setns', 'clone', 'clone3', 'socket', 'keyctl', 'bpf'],
      ...['io_uring_setup', 'perf_event_open', 'open_by_handle_at', 'kexec_load', 'init_module'],
      ...['pivot_root', 'open_tree', 'fsopen', 'userfaultfd', 'add_key', 'reboot', 'swapon'],
    ])
      expect(whole).not.toContain(name)
    const families = allowed.filter(({ names }) => names[0] === 'socket')
    expect(families.map(({ args }) => args?.[0]?.value)).toEqual([1, 2, 10, 16])
  }
  expect(() => ownProfile('riscv64')).toThrow('there is no filter')
})
