import { expect, test } from 'bun:test'
import { matchEvent, type TriggerEvent } from '#actions'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { compilePattern, compilePatterns } from '#src/actions/patterns.ts'

const EVENT: TriggerEvent = {
  name: 'push',
  action: null,
  branch: 'main',
  tag: null,
  changedPaths: [],
  message: 'Change it',
  workflow: null,
  cron: null,
}

function matches(on: string, event: Partial<TriggerEvent> = {}): boolean {
  const text = `on:\n${on}\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n`
  const { workflow, problems } = parseWorkflow(text, 'a.yml')
  if (!workflow) throw new Error(JSON.stringify(problems))
  return matchEvent(workflow, { ...EVENT, ...event }).matches
}

// The table of GitHub's documentation ("Filter pattern cheat sheet").
test.each([
  ['feature/*', ['feature/my-branch', 'feature/your-branch'], ['feature/a/b', 'feature']],
  ['feature/**', ['feature/beta-a/my-branch', 'feature/mona/the/octocat'], ['features/x']],
  ['main', ['main'], ['main2', 'a/main']],
  ['*', ['main', 'releases'], ['all/the/branches']],
  ['**', ['all/the/branches', 'every/tag'], []],
  ['*feature', ['mona-feature', 'feature', 'ver-10-feature'], ['feature-x']],
  ['v2*', ['v2', 'v2.0', 'v2.9'], ['v1']],
  ['v[12].[0-9]+.[0-9]+', ['v1.10.1', 'v2.0.0'], ['v3.0.0', 'v1.1', 'v1.x.0']],
  ['*.jsx?', ['page.js', 'page.jsx'], ['page.jsxx', 'a/page.js']],
  ['**.js', ['index.js', 'js/index.js', 'src/js/app.js'], ['a.jsx']],
  [
    'docs/**/*.md',
    ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md'],
    ['docs.md'],
  ],
  ['**/docs/**', ['docs/hello.md', 'dir/docs/my-file.txt'], ['mydocs/hello.md']],
  ['**/*src/**', ['a/src/app.js', 'my-src/code/js/app.js'], ['src']],
  ['**/*-post.md', ['my-post.md', 'path/their-post.md'], ['my-post.txt']],
  ['**/migrate-*.sql', ['migrate-10909.sql', 'db/migrate-v1.0.sql'], ['db/sub-migrate-1.sql']],
  ['**/b', ['b', 'a/b', 'a/a/b'], ['ab', 'a/ab']],
  ['a\\*', ['a*'], ['ab']],
])('the pattern %s', (pattern, taken, left) => {
  const isTaken = compilePattern(pattern)
  expect(taken.filter((name) => !isTaken(name))).toEqual([])
  expect(left.filter(isTaken)).toEqual([])
})

test('later patterns win over earlier ones', () => {
  const isTaken = compilePatterns(['releases/**', '!releases/**-alpha', 'releases/keep-alpha'])
  expect(isTaken('releases/10')).toBe(true)
  expect(isTaken('releases/10-alpha')).toBe(false)
  expect(isTaken('releases/keep-alpha')).toBe(true)
})

test('a pattern that makes others take for ever is matched at once', () => {
  const isTaken = compilePattern(`${'*a'.repeat(300)}b`)
  expect(isTaken('a'.repeat(4_000))).toBe(false)
})

test('branches and tags', () => {
  expect(matches('  push:', { branch: null, tag: 'v1' })).toBe(true)
  expect(matches('  push: { branches: [main] }')).toBe(true)
  expect(matches('  push: { branches: [main] }', { branch: 'other' })).toBe(false)
  expect(matches('  push: { branches: [main] }', { branch: null, tag: 'v1' })).toBe(false)
  expect(matches('  push: { tags: ["v*"] }')).toBe(false)
  expect(matches('  push: { tags: ["v*"] }', { branch: null, tag: 'v1' })).toBe(true)
  expect(matches('  push: { branches-ignore: [main] }')).toBe(false)
  expect(matches('  push: { branches-ignore: ["x/**"] }')).toBe(true)
})

test('paths', () => {
  const paths = (...changedPaths: string[]) => ({ changedPaths })
  expect(matches('  push: { paths: ["src/**"] }', paths('README.md'))).toBe(false)
  expect(matches('  push: { paths: ["src/**"] }', paths('README.md', 'src/a.ts'))).toBe(true)
  expect(matches('  push: { paths: ["src/**", "!src/**.md"] }', paths('src/a.md'))).toBe(false)
  expect(matches('  push: { paths-ignore: ["**.md"] }', paths('a.md', 'b/c.md'))).toBe(false)
  expect(matches('  push: { paths-ignore: ["**.md"] }', paths('a.md', 'b'))).toBe(true)
  // Too many to look at, and tags, match.
  expect(matches('  push: { paths: ["src/**"] }', { changedPaths: null })).toBe(true)
  const many = { changedPaths: Array<string>(3_001).fill('x') }
  expect(matches('  push: { paths: ["src/**"] }', many)).toBe(true)
  expect(matches('  push: { paths: [src] }', { branch: null, tag: 'v1' })).toBe(true)
})

test('types, other workflows, schedules and commits that ask to be skipped', () => {
  const pull = (action: string) => ({ name: 'pull_request', action }) as const
  expect(matches('  pull_request:', pull('synchronize'))).toBe(true)
  expect(matches('  pull_request:', pull('labeled'))).toBe(false)
  expect(matches('  pull_request: { types: [labeled] }', pull('labeled'))).toBe(true)
  expect(matches('  push:', pull('opened'))).toBe(false)
  const after = { name: 'workflow_run', action: 'completed', workflow: 'CI' } as const
  expect(matches('  workflow_run: { workflows: [CI] }', after)).toBe(true)
  expect(matches('  workflow_run: { workflows: [Other] }', after)).toBe(false)
  const due = { name: 'schedule', cron: '5 4 * * *' } as const
  expect(matches("  schedule: [{ cron: '5 4 * * *' }]", due)).toBe(true)
  expect(matches("  schedule: [{ cron: '6 4 * * *' }]", due)).toBe(false)
  expect(matches('  push:', { message: 'Fix [skip ci]' })).toBe(false)
  expect(matches('  push:', { message: 'Fix\n\n\nskip-checks: true' })).toBe(false)
  expect(matches('  schedule: [{ cron: "5 4 * * *" }]', { ...due, message: '[skip ci]' })).toBe(
    true,
  )
})
