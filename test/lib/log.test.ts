import { expect, test } from 'bun:test'
import { createLog } from '#lib/log.ts'

const lines = (
  options: Parameters<typeof createLog>[0],
  run: (log: ReturnType<typeof createLog>) => void,
): string[] => {
  const out: string[] = []
  run(createLog({ clock: { now: () => 0 }, write: (line) => void out.push(line), ...options }))
  return out
}

test('a line is one JSON object with its time, level and fields', () => {
  const [line = ''] = lines({}, (log) => log.warn('hot', { degrees: 230 }))
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'hot',
    degrees: 230,
  })
})

test('secrets are never logged, and lower levels are omitted', () => {
  const out = lines({ level: 'info' }, (log) => {
    log.debug('quiet')
    log.info('sign in', {
      password: 'p',
      Authorization: 'Bearer t',
      token: 't',
      cookie: 'c',
      user: 'ada',
    })
  })
  expect(out).toHaveLength(1)
  expect(out[0]).not.toMatch(/Bearer|"p"|"t"|"c"/)
  expect(out[0]).toContain('ada')
})

test('an error is written with its message and stack', () => {
  const [line = ''] = lines({}, (log) => log.error('broke', { error: new Error('why') }))
  expect(JSON.parse(line).error).toMatchObject({ name: 'Error', message: 'why' })
})

test('plain lines are text', () => {
  expect(lines({ json: false }, (log) => log.info('serving', { port: 3000, host: 'a b' }))).toEqual(
    ['1970-01-01T00:00:00.000Z info serving port=3000 host=a b\n'],
  )
})

test('pending lines are written when the process ends', async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `import { createLog } from '${import.meta.dir}/../../src/lib/log.ts'; createLog().info('last words'); process.exit(0)`,
    ],
    { stderr: 'pipe' },
  )
  expect(await new Response(child.stderr).text()).toContain('last words')
})
