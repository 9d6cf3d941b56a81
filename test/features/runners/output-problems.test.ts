import { expect, test } from 'bun:test'
import { OutputProblems } from '#src/features/runners/execute/output-problems.ts'

const MATCHER = (regexp: string): string =>
  JSON.stringify({ problemMatcher: [{ owner: 'a', pattern: [{ regexp, message: 1 }] }] })

test('matchers that take too long find no more, and none are added', () => {
  let ms = 0
  const problems = new OutputProblems(() => (ms += 60))
  expect(problems.add(MATCHER('(b)'))).toBeNull()
  expect([...problems.find(Buffer.from('b\nb\nb\nb\n'))].length).toBeLessThan(4)
  expect(problems.isOverBudget).toBe(true)
  problems.giveUp()
  expect(problems.isEmpty).toBe(true)
  expect(problems.isOverBudget).toBe(false)
  expect(problems.add(MATCHER('(b)'))).toContain('too long')
  expect([...problems.find(Buffer.from('b\n'))]).toEqual([])
})

test('lines end with a line feed, with or without a carriage return', () => {
  const problems = new OutputProblems()
  problems.add(MATCHER('^oh (.*)$'))
  const found = [...problems.find(Buffer.from('oh a\r\noh b\n\nno\noh ü'))]
  expect(found.map(({ message }) => message)).toEqual(['a', 'b', 'ü'])
  expect(problems.isOverBudget).toBe(false)
})
