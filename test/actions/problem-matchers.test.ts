import { describe, expect, test } from 'bun:test'
import { MatcherFault, ProblemMatchers } from '#src/actions/problem-matchers.ts'

const file = (...matchers: readonly object[]): string =>
  JSON.stringify({ problemMatcher: matchers })

/** As in actions/setup-node. */
const TSC = {
  owner: 'tsc',
  pattern: [
    {
      regexp:
        '^(?:\\s+\\d+\\>)?([^\\s].*)\\((\\d+),(\\d+)\\)\\s*:\\s+(error|warning|info)\\s+(\\w{1,2}\\d+)\\s*:\\s*(.*)$',
      file: 1,
      location: 2,
      line: 2,
      column: 3,
      severity: 4,
      code: 5,
      message: 6,
    },
  ],
}
const STYLISH = {
  owner: 'eslint-stylish',
  pattern: [
    { regexp: '^([^\\s].*)$', file: 1 },
    {
      regexp: '^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.*)\\s\\s+(.*)$',
      line: 1,
      column: 2,
      severity: 3,
      message: 4,
      code: 5,
      loop: true,
    },
  ],
}

function found(matchers: ProblemMatchers, ...lines: readonly string[]) {
  return lines.flatMap((line) => matchers.match(line) ?? [])
}

describe('problem matchers', () => {
  test('find file, line, column, severity and code of one line, colours left out', () => {
    const matchers = new ProblemMatchers()
    matchers.add(file(TSC))
    expect(
      found(matchers, '\u001b[31msrc/a.ts(3,7): error TS2322: Type is wrong.\u001b[0m', 'done'),
    ).toEqual([
      {
        severity: 'error',
        file: 'src/a.ts',
        line: 3,
        column: 7,
        code: 'TS2322',
        message: 'Type is wrong.',
      },
    ])
    // GitHub knows no annotations of `info`.
    expect(found(matchers, 'src/a.ts(3,7): info TS1: Hm.')).toEqual([])
  })

  test('follow lines, and repeat the last pattern until a line is another one', () => {
    const matchers = new ProblemMatchers()
    matchers.add(file(STYLISH))
    const problems = found(
      matchers,
      '  1:1  error  Not below a file  no-file',
      '/work/site/site/a.js',
      '  3:5  error  Missing semicolon  semi',
      '  4:9  warning  Unused  no-unused',
      '',
      '  5:1  error  After an empty line  semi',
    )
    expect(problems.map(({ file, line, severity, code }) => [file, line, severity, code])).toEqual([
      ['/work/site/site/a.js', 3, 'error', 'semi'],
      ['/work/site/site/a.js', 4, 'warning', 'no-unused'],
    ])
  })

  test('fromPath names the folder of the file, and the default severity is that of the matcher', () => {
    const matchers = new ProblemMatchers()
    matchers.add(
      file({
        owner: 'dotnet',
        severity: 'warning',
        pattern: [
          {
            regexp: '^(.+)\\((\\d+)\\): (.+) \\[(.+)\\]$',
            file: 1,
            line: 2,
            message: 3,
            fromPath: 4,
          },
        ],
      }),
    )
    expect(found(matchers, 'Program.cs(4): odd [app/app.csproj]')[0]).toMatchObject({
      severity: 'warning',
      file: 'app/Program.cs',
      line: 4,
      column: null,
    })
  })

  test('the newest of an owner counts, and a removed one finds nothing', () => {
    const matchers = new ProblemMatchers()
    matchers.add(file({ owner: 'one', pattern: [{ regexp: '^old (.*)$', message: 1 }] }))
    matchers.add(file({ owner: 'one', pattern: [{ regexp: '^new (.*)$', message: 1 }] }))
    expect(found(matchers, 'old a', 'new b').map(({ message }) => message)).toEqual(['b'])
    matchers.remove('one')
    expect(matchers.isEmpty).toBe(true)
    expect(found(matchers, 'new b')).toEqual([])
  })

  test.each([
    ['text', '', 'not JSON'],
    ['a list', '[]', 'no list'],
    ['no owner', file({ pattern: [] }), 'owner'],
    ['no pattern', file({ owner: 'a', pattern: [] }), '1 to 10 patterns'],
    [
      'no message',
      file({ owner: 'a', pattern: [{ regexp: 'a' }] }),
      'no pattern of a has a message',
    ],
    ['a look ahead', file({ owner: 'a', pattern: [{ regexp: '(?=a)b', message: 0 }] }), 'RE2'],
    [
      'repetitions of repetitions',
      file({ owner: 'a', pattern: [{ regexp: '(a{1,900}){1,1000}', message: 0 }] }),
      'RE2',
    ],
    [
      'large repetitions',
      file({ owner: 'a', pattern: [{ regexp: 'a{1000}b{1000}'.repeat(3), message: 0 }] }),
      'too large',
    ],
    ['too many', file(...Array.from({ length: 21 }, () => TSC)), 'at most 20'],
    [
      'a loop before the last pattern',
      file({
        owner: 'a',
        pattern: [
          { regexp: 'a', message: 0, loop: true },
          { regexp: 'b', file: 0 },
        ],
      }),
      'only the last',
    ],
  ])('a file with %s is refused', (_, text, why) => {
    const matchers = new ProblemMatchers()
    expect(() => matchers.add(text)).toThrow(MatcherFault)
    expect(() => matchers.add(text)).toThrow(why)
    expect(matchers.isEmpty).toBe(true)
  })
})
