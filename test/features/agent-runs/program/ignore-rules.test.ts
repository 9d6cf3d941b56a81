import { expect, test } from 'bun:test'
import { IgnoreRules } from '#features/agent-runs/program/ignore-rules.ts'
import { ToolError } from '#features/agent-runs/tool.ts'

test('the last rule that matches decides', async () => {
  const rules = new IgnoreRules('# built\n\n/out/\n*.log\r\n!keep.log\n')
  const seen = ['out/a.js', 'src/a.js', 'a.log', 'src/keep.log', 'built']
  const ignored: string[] = []
  for (const path of seen) if (await rules.ignores(path)) ignored.push(path)
  expect(ignored).toEqual(['out/a.js', 'a.log'])
  expect(await new IgnoreRules('').ignores('a.log')).toBe(false)
})

test('rules that take long let others work meanwhile, and end', async () => {
  const hostile = Array(400)
    .fill(`/${'**/*/'.repeat(30)}x`)
    .join('\n')
  const rules = new IgnoreRules(hostile)
  const path = `${'a/'.repeat(480)}y`
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  expect(await rules.ignores(path)).toBe(false)
  expect(turns).toBeGreaterThan(2)
  clearInterval(timer)

  let clock = 0
  const slow = new IgnoreRules('a\nb', () => (clock += 1_000))
  expect(await slow.ignores('c')).toBe(false)
  const all = async () => {
    for (let at = 0; at < 10; at++) await slow.ignores('c')
  }
  expect(await all().catch((error: unknown) => error)).toBeInstanceOf(ToolError)
})
