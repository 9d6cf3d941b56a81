/**
 * Runs a few commands in a process of an ordinary user, and prints what came of them. Started by
 * `as-user.test.ts`.
 */
import { createRunner } from '../../src/runner/index.ts'
import { LIMITS } from './limits.ts'

const [directory = '', bubblewrap = 'any'] = process.argv.slice(2)
const runner = createRunner({
  directory,
  isolation: 'required',
  network: false,
  readable: [],
  hidden: [directory],
  bubblewrap: bubblewrap === 'bundled' ? 'bundled' : 'any',
})
const isolation = await runner.isolation()
const results: unknown[] = []
for (const command of [
  'id -u; cat /proc/1/environ | tr "\\0" "\\n" | cut -d= -f1 | sort | tr "\\n" ,',
  'bomb() { bomb | bomb & }; bomb; sleep 1; echo alive',
  `for i in 1 2 3 4 5 6; do perl -e '$x = "a" x (100 * 1024 * 1024); sleep 8; print "had it\\n"' & done; wait`,
  'for i in $(seq 1000); do head -c 8M /dev/zero >/build/f$i; done; echo filled',
  `ls ${directory}; kill -9 ${process.pid}; mkdir x; chmod 0 x; exit 4`,
]) {
  const place = await runner.createDirectory('one')
  await runner.handOver(place)
  let text = ''
  const { ended, exit_code } = await runner.run({
    directory: place,
    command,
    limits: LIMITS,
    env: {},
    output: (bytes) => void (text += Buffer.from(bytes).toString()),
  })
  results.push({ ended, exit_code, text, gone: await runner.removeDirectory(place) })
}
const place = await runner.createJobDirectory('steps')
const job = await runner.openJob({ directory: place, name: 'site', limits: LIMITS, env: {} })
let steps = ''
for (const script of [
  // The step ends only when the program itself runs: until then its process has the shell's name.
  `echo one >file; echo x >/job/input/y; sleep 4817 &
   until ps -eo args | grep -q '[s]leep 4817'; do :; done`,
  `cat file; ls ${directory}; ps -eo args | grep -c '[s]leep 4817'`,
  // What enters the sandbox is not changed from inside, which would free the next job.
  '{ chmod 777 /proc/1/exe; echo x >>/proc/1/exe; } 2>/dev/null && echo changed',
])
  await job.step({ script, output: (bytes) => void (steps += Buffer.from(bytes).toString()) })
await job.close()
const gone = await runner.removeDirectory(place)
process.stdout.write(JSON.stringify({ isolation, results, job: { steps, gone } }))
