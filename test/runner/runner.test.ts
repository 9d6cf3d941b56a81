import { expect, test } from 'bun:test'
import { describeIsolation } from '#runner'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasEnded, makeRunner, MIB } from './runners.ts'

const forge = await makeRunner()
const { run } = forge
writeFileSync(join(forge.data, 'hearth.db'), 'the database of the server')

test('runs a command and tells how it ended', async () => {
  expect(await run('echo out; echo err >&2; exit 7')).toMatchObject({
    ended: 'exited',
    exit_code: 7,
    text: 'out\nerr\n',
    left_out: false,
    gone: true,
  })
  expect(await run('true')).toMatchObject({ exit_code: 0, text: '' })
  expect(await run('kill -9 $$')).toMatchObject({ ended: 'exited', exit_code: 137 })
  expect(describeIsolation(forge.isolation)).toContain('isolated by bubblewrap')
})

test('passes on exactly the command that was given, whatever is in it', async () => {
  const { text } = await run(
    `printf '%s|' "a'b" 'c"d' '$HOME' "\\\\"\nprintf 'second line; %s' "$(echo nested)"`,
  )
  expect(text).toBe(`a'b|c"d|$HOME|\\|second line; nested`)
})

test('shows an environment from nothing, also that of the first process', async () => {
  const { text } = await run(`env | sort; tr '\\0' '\\n' </proc/1/environ`)
  // A shell leaves a word about where it was.
  const names = [
    ...new Set(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('=')[0]),
    ),
  ]
    .filter((name) => name !== 'OLDPWD')
    .sort()
  expect(names).toEqual(['CI', 'HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'TERM', 'TMPDIR', 'USER'])
  expect(text).not.toContain(process.env.PWD ?? 'no such folder')
})

test('shows nothing of the server: its files, its processes, its descriptors', async () => {
  const { text } = await run(
    `cat ${forge.data}/hearth.db; ls ${forge.data}; ls /root /home /etc/shadow /etc/hostname /etc/ssl/private /work /var 2>&1; ls -l /proc/self/fd | wc -l; ls -d /proc/[0-9]* | wc -l; cat /etc/passwd; id -u`,
  )
  expect(text).not.toContain('the database of the server')
  expect(text).not.toContain('hearth.db\nchecks')
  for (const path of ['/root', '/etc/shadow', '/etc/hostname', '/etc/ssl/private', '/work'])
    expect(text).toContain(`'${path}': No such file`)
  // Total, three descriptors, and that of ls itself.
  expect(text).toMatch(/^5$/m)
  const processes = Number(text.split('\n').filter((line) => /^\d+$/.test(line))[1])
  expect(processes).toBeLessThan(6)
  expect(text).toContain('check:x:1000')
  expect(text.trim().endsWith('1000')).toBe(true)
})

test('a data directory inside the folders of programs stays unseen', async () => {
  const inside = await makeRunner({ hidden: ['/usr/share/doc'] })
  const { text } = await inside.run('ls /usr/share/doc; touch /usr/share/doc/x; ls -d /usr/share')
  expect(text).toBe(`touch: cannot touch '/usr/share/doc/x': Read-only file system\n/usr/share\n`)
  await expect(
    makeRunner({ readable: [join(forge.data, 'bin')], hidden: [forge.data] }),
  ).rejects.toThrow('inside the data directory')
})

test('has no network but its own loopback', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('the server'),
  })
  const { text } = await run(`perl -MIO::Socket::INET -e '
    print IO::Socket::INET->new(PeerAddr => "127.0.0.1:${server.port}", Timeout => 3) ? "reached" : "refused: $!", "\\n";
    my $own = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 4000, Listen => 1) or die; 
    print IO::Socket::INET->new(PeerAddr => "127.0.0.1:4000", Timeout => 3) ? "own loopback" : "none", "\\n"'`)
  await server.stop(true)
  expect(text).toContain('refused')
  expect(text).toContain('own loopback')
  expect(text).not.toContain('reached')
})

test('has no rights: no root, no mounts, no namespaces, no signals or tracing outside', async () => {
  const { text } = await run(
    [
      'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status',
      'unshare -U true',
      'unshare -m true',
      'mount -t tmpfs x /tmp',
      'chroot / true',
      `kill -9 ${process.pid}; kill -9 -- -${process.pid}; kill -0 ${process.ppid}`,
      `perl -e 'print "trace ", syscall(101, 16, ${process.pid}, 0, 0), "\\n"'`,
      'su -c true',
      'chown 0 /build',
      'touch /x /dev/x /usr/x /etc/x /proc/sys/kernel/hostname',
      'dd if=/dev/vda of=/dev/null count=1',
    ].join('; '),
  )
  expect(text).toMatch(/CapEff:\s+0000000000000000/)
  expect(text).toMatch(/CapBnd:\s+0000000000000000/)
  expect(text).toMatch(/NoNewPrivs:\s+1/)
  expect(text).toMatch(/Seccomp:\s+2/)
  expect(text.match(/unshare failed/g)).toHaveLength(2)
  expect(text).toContain('trace -1')
  for (const path of ['/x', '/dev/x', '/usr/x', '/etc/x'])
    expect(text).toContain(`'${path}': Read-only file system`)
  expect(text).toContain(`'/dev/vda': No such file`)
  expect(process.pid).toBeGreaterThan(0)
})

test('a fork bomb stays inside, and ends with its command', async () => {
  const { text, ended } = await run(
    'hearthbomb() { hearthbomb | hearthbomb & }; hearthbomb; sleep 1; echo still here',
  )
  expect(ended).toBe('exited')
  expect(text).toContain('Cannot fork')
  expect(Bun.spawnSync(['true'], { env: { PATH: '/usr/bin:/bin' } }).exitCode).toBe(0)
  expect(await hasEnded('hearthbomb')).toBe(true)
})

test('one process has no more memory than it may', async () => {
  const { text } = await run(`perl -e '$x = "a" x (400 * 1024 * 1024); print "had it\\n"'`)
  expect(text).not.toContain('had it')
})

test('all processes together have no more memory than they may', async () => {
  const { ended, text } = await run(
    `for i in 1 2 3 4 5 6; do perl -e '$x = "a" x (100 * 1024 * 1024); sleep 8; print "had it\\n"' & done; wait`,
  )
  expect(ended).toBe('memory')
  expect(text.match(/had it/g)?.length ?? 0).toBeLessThan(4)
})

test('shared memory is counted and small', async () => {
  const { text } = await run(
    'head -c 40M /dev/zero >/dev/shm/x; head -c 40M /dev/zero >/dev/shm/y; du -sm /dev/shm',
  )
  expect(text).toContain('No space left on device')
  expect(text).toMatch(/^64\s+\/dev\/shm$/m)
})

test('no file is larger than the disk limit, and no disk is filled by many', async () => {
  expect((await run('head -c 100M /dev/zero >/tmp/big')).text).toContain('File size limit exceeded')
  expect(
    await run('for i in $(seq 1000); do head -c 8M /dev/zero >/build/f$i; done; echo filled'),
  ).toMatchObject({ ended: 'disk', exit_code: null, text: '', gone: true })
  const nameless = `perl -e 'for (1..200) { open($f[$_], "+>", undef) or die; print {$f[$_]} "x" x (4 * 1024 * 1024) } sleep 8; print "filled"'`
  expect(await run(nameless)).toMatchObject({ ended: 'disk', text: '' })
  expect((await run('fallocate -l 10M /tmp/x')).text).toContain('not supported')
})

test('output without end costs nothing but its limit, and its end is kept', async () => {
  const result = await run(
    'yes beginning | head -c 300000; yes endless | head -c 20000000; echo the very end',
  )
  expect(result).toMatchObject({ ended: 'exited', exit_code: 0, left_out: true })
  expect(result.text.length).toBeLessThanOrEqual(64 * 1024 + 16 * 1024)
  expect(result.text.length).toBeGreaterThan(64 * 1024 + 15 * 1024)
  expect(result.text.startsWith('beginning\n')).toBe(true)
  expect(result.text.endsWith('endless\nthe very end\n')).toBe(true)
  const forever = await run('yes hearthyes', { limits: { timeMs: 1_500 } })
  expect(forever).toMatchObject({ ended: 'timed_out', left_out: true })
  expect(await hasEnded('hearthyes')).toBe(true)
})

test('what is left in the background ends with the command, even when it holds the output', async () => {
  const { text, ended, duration_ms } = await run(
    '(sleep 4711 & ) ; setsid sleep 4712 & nohup sleep 4713 >/dev/null 2>&1 & echo done',
  )
  expect({ text, ended }).toEqual({ text: 'done\n', ended: 'exited' })
  expect(duration_ms).toBeLessThan(15_000)
  for (const word of ['sleep 4711', 'sleep 4712', 'sleep 4713'])
    expect(await hasEnded(word)).toBe(true)
})

test('hands output on as it is written', async () => {
  const controller = new AbortController()
  const { text, ended } = await run('echo first; sleep 30; echo second', {
    signal: controller.signal,
    output: (text) => text.includes('first') && controller.abort(),
  })
  expect({ text, ended }).toEqual({ text: 'first\n', ended: 'cancelled' })
})

test('ends what takes too long and what is cancelled, with everything it began', async () => {
  expect(
    await run('echo begun; sleep 4721 & trap "" TERM INT HUP; sleep 4722', {
      limits: { timeMs: 800 },
    }),
  ).toMatchObject({ ended: 'timed_out', exit_code: null, text: 'begun\n' })
  const controller = new AbortController()
  const result = await run('echo begun; sleep 4723', {
    signal: controller.signal,
    output: () => controller.abort(),
  })
  expect(result).toMatchObject({ ended: 'cancelled', exit_code: null, text: 'begun\n', gone: true })
  expect(await run('echo never; sleep 4724', { signal: AbortSignal.abort() })).toMatchObject({
    ended: 'cancelled',
  })
  for (const word of ['sleep 4721', 'sleep 4722', 'sleep 4723', 'sleep 4724'])
    expect(await hasEnded(word)).toBe(true)
})

test('links out of the folder lead nowhere but inside', async () => {
  const { text } = await run('cat link/hearth.db; cat passwd; echo through >link/written; ls -l', {
    prepare: (build) => {
      symlinkSync(forge.data, join(build, 'link'))
      symlinkSync('/etc/passwd', join(build, 'passwd'))
    },
  })
  expect(text).toContain('link/hearth.db: No such file')
  expect(text).toContain('check:x:1000')
  expect(text).not.toContain(readFileSync('/etc/passwd', 'utf8').split('\n')[2] ?? 'x')
})

test('takes away whatever a command made: deep folders, folders without rights, odd names', async () => {
  const { gone } = await run(
    `mkdir a b "$(printf 'new\\nline')"; cd a; i=0; while [ $i -lt 600 ]; do mkdir dddddddddddddddddddd && cd dddddddddddddddddddd || break; i=$((i+1)); done; touch x; chmod 0 . /build/b; ln -s / /build/root`,
  )
  expect(gone).toBe(true)
})

test('the same folder serves several commands, one after the other', async () => {
  const place = await forge.runner.createDirectory('several')
  mkdirSync(join(place.build, 'src'))
  await forge.runner.handOver(place)
  const limits = {
    timeMs: 20_000,
    memoryBytes: 256 * MIB,
    diskBytes: 64 * MIB,
    processes: 64,
    files: 256,
    outputBytes: 1024,
  }
  let text = ''
  const step = (command: string) =>
    forge.runner.run({
      directory: place,
      command,
      limits,
      env: {},
      output: (bytes) => void (text += Buffer.from(bytes).toString()),
    })
  await step('echo made >src/file; echo home >~/file; echo temporary >/tmp/file')
  expect(await step('cat src/file ~/file /tmp/file /var/tmp/file')).toMatchObject({ exit_code: 0 })
  expect(text).toBe('made\nhome\ntemporary\ntemporary\n')
  expect(await forge.runner.removeDirectory(place)).toBe(true)
})

test('two commands at once know nothing of each other', async () => {
  const [one, two] = await Promise.all([
    run('sleep 1; ls /tmp; ps -e | wc -l; kill -9 -1; echo x'),
    run('echo secret >/tmp/of-the-other; sleep 2; echo alive'),
  ])
  expect(one.text).not.toContain('of-the-other')
  expect(two).toMatchObject({ exit_code: 0, text: 'alive\n' })
})
