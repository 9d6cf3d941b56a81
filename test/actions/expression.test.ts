import { describe, expect, test } from 'bun:test'
import {
  evaluate,
  ExpressionBudget,
  ExpressionFault,
  holds,
  statusFunctions,
  withHashFiles,
} from '#actions'
import { secretsRead } from '#src/actions/plan-job.ts'
import { readCondition, JOB_CONDITION } from '#src/actions/condition.ts'
import { expand, interpolate } from '#src/actions/template.ts'

const scope = (contexts: Parameters<typeof evaluate>[1]['contexts']) => ({ contexts })

test('every pair of quotes in a string is one quote', () => {
  expect(evaluate("'a''b''c'", scope({}))).toBe("a'b'c")
  expect(evaluate("''''", scope({}))).toBe("'")
  expect(evaluate("format('{0}''{1}''', 'x', 'y')", scope({}))).toBe("x'y'")
})

test('names of the runtime are keys like others', () => {
  const contexts = { matrix: { constructor: 'a', toString: 'b', ['__proto__']: 'c' } }
  expect(evaluate('matrix.constructor', scope(contexts))).toBe('a')
  expect(evaluate('matrix.toString', scope(contexts))).toBe('b')
  expect(evaluate('fromJSON(\'{"__proto__": 1}\').__proto__', scope({}))).toBe(1)
  expect(evaluate('matrix.valueOf', scope(contexts))).toBe(null)
})

describe('the budget', () => {
  const large = 'x'.repeat(100_000)
  const fails = (text: string, contexts = {}) =>
    expect(() => evaluate(text, scope(contexts))).toThrow('take too long or produce too much text')

  test('stops format, join and toJSON before they produce gigabytes', () => {
    const many = '{0}'.repeat(1_000)
    fails(`format('${many}', a.b)`, { a: { b: large } })
    fails('join(a.list, a.b)', { a: { b: large, list: Array(1_000).fill('') } })
    let nested: unknown = large
    for (let i = 0; i < 12; i++) nested = [nested, nested]
    fails('toJSON(a)', { a: nested })
  })

  test('stops a comparison with a long list, and patterns of braces take linear time', () => {
    fails('contains(a.list, a.b)', { a: { b: large, list: Array(1_000).fill('y') } })
    const braces = '{{'.repeat(500_000)
    expect(evaluate('format(a.b)', scope({ a: { b: braces } }))).toBe('{'.repeat(500_000))
  })

  test('is shared by the expressions that get the same', () => {
    const budget = new ExpressionBudget(250_000)
    const contexts = { a: { b: large } }
    expect(interpolate('${{ a.b }}', scope(contexts), budget)).toBe(large)
    expect(interpolate('${{ a.b }}', scope(contexts), budget)).toBe(large)
    expect(() => interpolate('${{ a.b }}', scope(contexts), budget)).toThrow(ExpressionFault)
  })

  test('nesting and length are refused', () => {
    expect(() => evaluate(`${'('.repeat(100)}1${')'.repeat(100)}`, scope({}))).toThrow('depth')
    expect(() => evaluate('1'.repeat(30_000), scope({}))).toThrow(ExpressionFault)
  })
})

test('a text keeps what is outside of its expressions, and its lines', () => {
  const contexts = { github: { ref: 'main', n: 2 } }
  const script = "cat <<EOF\n  a: ${{ github.ref }}\n\t${{ '}}' }} $PATH ${HOME}\nEOF\n"
  expect(interpolate(script, scope(contexts))).toBe(
    'cat <<EOF\n  a: main\n\t}} $PATH ${HOME}\nEOF\n',
  )
  expect(() => interpolate('${{ github.ref', scope(contexts))).toThrow('not closed')
  expect(() => interpolate('${{ }}', scope(contexts))).toThrow('An expression was expected')
})

test('a value that is one expression keeps its type, and insert merges', () => {
  const contexts = { needs: { a: { list: [1, 2], more: { X: '1' } } } }
  expect(expand('${{ needs.a.list }}', scope(contexts))).toEqual([1, 2])
  expect(expand('v${{ needs.a.list }}', scope(contexts))).toBe('vArray')
  expect(expand({ '${{ insert }}': '${{ needs.a.more }}', Y: 2 }, scope(contexts))).toEqual({
    X: '1',
    Y: 2,
  })
})

test('a list that an item evaluates to takes the place of the item', () => {
  const contexts = { needs: { a: [[1], 'two'] } }
  expect(expand(['${{ needs.a }}', ['${{ needs.a }}'], 3], scope(contexts))).toEqual([
    [1],
    'two',
    [[1], 'two'],
    3,
  ])
})

test('a value that was inserted is never evaluated again', () => {
  const contexts = { github: { title: '${{ secrets.TOKEN }}' }, secrets: { TOKEN: 's3cret' } }
  expect(interpolate('echo ${{ github.title }}', scope(contexts))).toBe('echo ${{ secrets.TOKEN }}')
})

describe('conditions', () => {
  const read = (text: string) => readCondition(text, JOB_CONDITION)

  test('ask for success unless they ask for a status', () => {
    expect(read("github.ref == 'x'").expression).toBe("success() && (github.ref == 'x')")
    expect(read('${{ always() }}').expression).toBe('always()')
    expect(read("!cancelled() && github.ref == 'x'").expression).toStartWith('!cancelled()')
    expect(read('').expression).toBe('success()')
  })

  test('with text outside of the braces are always true, as on GitHub, and say so', () => {
    const condition = read("${{ github.ref }} == 'x'")
    expect(condition.isAlwaysTrue).toBe(true)
    const functions = statusFunctions({ success: true, failure: false, cancelled: false })
    expect(holds(condition.expression, { contexts: { github: { ref: 'y' } }, functions })).toBe(
      true,
    )
  })

  test('may not read what is not known there', () => {
    expect(() => read('secrets.X')).toThrow("Unrecognized named-value: 'secrets'")
    expect(() => read("hashFiles('x')")).toThrow("Unrecognized function: 'hashFiles'")
  })
})

test('the secrets that a job reads are known before it runs', () => {
  expect(secretsRead([{ A: '${{ secrets.b }} ${{ secrets["c"] }}'.replaceAll('"', "'") }])).toEqual(
    ['B', 'C'],
  )
  expect(secretsRead(['${{ toJSON(secrets) }}'])).toBe('all')
  expect(secretsRead(['${{ secrets[github.x] }}'])).toBe('all')
  expect(secretsRead(["${{ github.secrets }} ${{ 'secrets.X' }}"])).toEqual([])
})

test('hashFiles is computed once for each list of patterns, while the evaluation waits', async () => {
  const asked: (readonly string[])[] = []
  const text = "${{ hashFiles('a', 'b') }}-${{ hashFiles('c') }}-${{ hashFiles('a', 'b') }}"
  const result = await withHashFiles(
    (functions) => interpolate(text, { contexts: {}, functions }),
    async (patterns) => {
      asked.push(patterns)
      return patterns.join('+')
    },
  )
  expect(result).toBe('a+b-c-a+b')
  expect(asked).toEqual([['a', 'b'], ['c']])
})
