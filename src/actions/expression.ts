/**
 * Expressions: `${{ github.ref == 'refs/heads/main' }}` and what is between the braces.
 *
 * Evaluated by `@actions/expressions`, GitHub's own package, with three changes: quotes within
 * strings are repaired (its lexer undoubles only the first pair), values are made as they are read,
 * and every step costs a part of a budget, so that `format`, `join` and `toJSON` cannot be made to
 * produce gigabytes.
 */
import { Evaluator, Lexer, Parser, wellKnownFunctions, type Expr } from '@actions/expressions'
import { TokenType } from '@actions/expressions/lexer'
import { Binary, Literal, type FunctionCall, type IndexAccess } from '@actions/expressions/ast'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { data } from '@actions/expressions'
import { fromData, sizeOf, toData, toDictionary, type Data } from './expression-data.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from './json.ts'

/** What an expression may read and call. Names are compared without regard to case. */
export type Scope = {
  readonly contexts: JsonObject
  readonly functions?: ExpressionFunctions
}

export type ExpressionFunctions = Readonly<Record<string, (...args: readonly Json[]) => Json>>

/** An expression cannot be read or evaluated; the message is one line for the author. */
export class ExpressionFault extends Error {}

/** Characters and values that the expressions of one job may cost together. */
const DEFAULT_BUDGET = 10_000_000
/** Stops expressions that would take long or produce much. One may serve many expressions. */
export class ExpressionBudget {
  #left: number

  constructor(units = DEFAULT_BUDGET) {
    this.#left = units
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0)
      throw new ExpressionFault('The expressions take too long or produce too much text')
  }
}

type Token = ReturnType<Lexer['lex']>['tokens'][number]

/**
 * The lexer undoubles only the first pair of quotes of a string: `'a''b''c'` became `a'b''c`. The
 * lexeme is whole, so the value is made from it again.
 */
function repairString(token: Token): Token {
  if (!token.lexeme.startsWith("'")) return token
  return { ...token, value: token.lexeme.slice(1, -1).replaceAll("''", "'") }
}

/** Functions that need a run: their results come from `Scope.functions`. */
const STATUS_FUNCTIONS = ['success', 'failure', 'always', 'cancelled'] as const
const ARGUMENTS: Readonly<Record<string, readonly [number, number]>> = {
  success: [0, 255],
  failure: [0, 255],
  always: [0, 0],
  cancelled: [0, 0],
  hashfiles: [1, 255],
}

const infoOf = (name: string) => {
  const [minArgs, maxArgs] = ARGUMENTS[name.toLowerCase()] ?? [0, 255]
  return { name, minArgs, maxArgs }
}

/** Where an expression may be read: the names of contexts and of functions besides the general. */
export type Vocabulary = {
  readonly contexts: readonly string[]
  readonly functions: readonly string[]
}

/** Throws ExpressionFault. Null for text without any token. */
export function parseExpression(text: string, { contexts, functions }: Vocabulary): Expr | null {
  try {
    const tokens = new Lexer(text).lex().tokens.map(repairString)
    return new Parser(tokens, [...contexts], functions.map(infoOf)).parse() ?? null
  } catch (error) {
    throw faultOf(error, text)
  }
}

function faultOf(error: unknown, text: string): ExpressionFault {
  if (error instanceof ExpressionFault) return error
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('within expression:')) return new ExpressionFault(message)
  const { pos } = error as { pos?: { line: number; column: number } }
  const place = pos ? ` at position ${offsetOf(text, pos) + 1}` : ''
  return new ExpressionFault(`${message}. Located${place} within expression: ${text}`)
}

/** Where a line and column of the lexer are, both from 0. */
function offsetOf(text: string, { line, column }: { line: number; column: number }): number {
  const before = text.split('\n').slice(0, line)
  return before.reduce((sum, { length }) => sum + length + 1, column)
}

/**
 * The names of contexts in an expression without braces, and where they begin. Names behind a dot
 * are keys, and names before a parenthesis are functions. Throws ExpressionFault.
 */
export function namesIn(text: string): { readonly name: string; readonly at: number }[] {
  try {
    const { tokens } = new Lexer(text).lex()
    return tokens
      .filter(
        ({ type }, index) =>
          type === TokenType.IDENTIFIER &&
          tokens[index - 1]?.type !== TokenType.DOT &&
          tokens[index + 1]?.type !== TokenType.LEFT_PAREN,
      )
      .map(({ lexeme, range }) => ({ name: lexeme, at: offsetOf(text, range.start) }))
  } catch (error) {
    throw faultOf(error, text)
  }
}

/** The text that `toJSON` makes of a value. Counts before it makes it. */
function jsonText(value: Json, budget: ExpressionBudget): string {
  measure(value, 1, budget)
  return JSON.stringify(value, null, 2)
}

function measure(value: Json, depth: number, budget: ExpressionBudget): void {
  if (depth > 100) throw new ExpressionFault('The value is nested too deep')
  if (typeof value === 'string') return budget.spend(value.length + 2)
  if (isJsonArray(value)) {
    budget.spend(4 + value.length * 2 * depth)
    for (const item of value) measure(item, depth + 1, budget)
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      budget.spend(key.length + 6 + 2 * depth)
      measure(value[key] ?? null, depth + 1, budget)
    }
  } else budget.spend(8)
}

/**
 * `format('{0} of {1}', a, b)`. The package's own looks for the next brace from every brace, which
 * takes quadratic time on a text of braces.
 */
function formatText([pattern, ...values]: readonly Data[], budget: ExpressionBudget): Data {
  const text = pattern?.coerceString() ?? ''
  let result = ''
  let from = 0
  for (const match of text.matchAll(/\{\{|\}\}|\{\d+\}|[{}]/g)) {
    const [found] = match
    result += text.slice(from, match.index)
    from = match.index + found.length
    if (found === '{' || found === '}')
      throw new Error(`The following format string is invalid: ${text}`)
    if (found === '{{' || found === '}}') result += found[0]
    else {
      const value = values[Number(found.slice(1, -1))]?.coerceString()
      if (value === undefined)
        throw new Error(
          `The following format string references more arguments than were supplied: ${text}`,
        )
      budget.spend(value.length)
      result += value
    }
  }
  return new data.StringData(result + text.slice(from))
}

/** Comparing makes both texts upper-case, once for each item; a search may compare at each place. */
function measureContains([searched, item]: readonly Data[], budget: ExpressionBudget): void {
  if (!searched || !item) return
  const length = sizeOf(item)
  if (searched.kind !== data.Kind.Array) budget.spend((sizeOf(searched) * length) / 10_000)
  else for (const value of searched.values()) budget.spend(length + sizeOf(value))
}

function measureJoin([list, separator]: readonly Data[], budget: ExpressionBudget): void {
  if (list?.kind !== data.Kind.Array) return
  const values = list.values()
  budget.spend(values.length * (separator?.coerceString().length ?? 1))
  for (const value of values) budget.spend(value.coerceString().length)
}

function fromJsonText(text: string, budget: ExpressionBudget): Data {
  if (text.trim() === '') throw new Error('empty input')
  budget.spend(text.length)
  try {
    return toData(JSON.parse(text) as Json)
  } catch (cause) {
    throw new Error('Error parsing JSON when evaluating fromJson', { cause })
  }
}

class BudgetedEvaluator extends Evaluator {
  constructor(
    expression: Expr,
    contexts: data.Dictionary,
    private readonly calls: ReadonlyMap<string, FunctionDefinition['call']>,
    private readonly budget: ExpressionBudget,
  ) {
    super(expression, contexts)
  }

  protected override eval(node: Expr): Data {
    this.budget.spend(1)
    return super.eval(node)
  }

  override visitBinary(binary: Binary): Data {
    // Comparing strings makes both upper-case.
    const left = this.eval(binary.left)
    const right = this.eval(binary.right)
    this.budget.spend(sizeOf(left) + sizeOf(right))
    const { operator } = binary
    return super.visitBinary(
      new Binary(new Literal(left, operator), operator, new Literal(right, operator)),
    )
  }

  override visitIndexAccess(access: IndexAccess): Data {
    const value = super.visitIndexAccess(access)
    if (value.kind === data.Kind.Array) this.budget.spend(sizeOf(value))
    return value
  }

  override visitFunctionCall(call: FunctionCall): Data {
    const name = call.functionName.lexeme.toLowerCase()
    const args = call.args.map((argument) => this.eval(argument))
    for (const argument of args) this.budget.spend(sizeOf(argument))
    const own = this.calls.get(name)
    const result = own ? own(...args) : this.#callGeneral(name, args)
    this.budget.spend(sizeOf(result))
    return result
  }

  #callGeneral(name: string, args: Data[]): Data {
    const [first] = args
    if (name === 'tojson' && first)
      return new data.StringData(jsonText(fromData(first), this.budget))
    if (name === 'fromjson' && first) return fromJsonText(first.coerceString(), this.budget)
    if (name === 'format') return formatText(args, this.budget)
    if (name === 'contains') measureContains(args, this.budget)
    if (name === 'join') measureJoin(args, this.budget)
    const call = wellKnownFunctions[name]?.call
    if (!call) throw new ExpressionFault(`Unrecognized function: '${name}'`)
    return call(...args)
  }
}

/**
 * The value of an expression without its braces. Throws ExpressionFault. What a function of the
 * scope throws passes through.
 */
export function evaluate(text: string, scope: Scope, budget = new ExpressionBudget()): Json {
  budget.spend(text.length)
  const functions = Object.entries(scope.functions ?? {})
  const expression = parseExpression(text, {
    contexts: Object.keys(scope.contexts),
    functions: functions.map(([name]) => name),
  })
  if (!expression) return null
  const calls = new Map(
    functions.map(([name, call]) => [
      name.toLowerCase(),
      (...args: Data[]) => toData(call(...args.map(fromData))),
    ]),
  )
  try {
    const contexts = toDictionary(scope.contexts)
    return fromData(new BudgetedEvaluator(expression, contexts, calls, budget).evaluate())
  } catch (error) {
    if (error instanceof PassThrough) throw error
    throw faultOf(error, text)
  }
}

/** A function of a scope throws this to stop the evaluation for a reason of its own. */
export class PassThrough extends Error {}

/** GitHub's rule: false, 0, NaN, null and the empty string are not true. */
export const isTruthy = (value: Json): boolean =>
  !(value === null || value === false || value === '' || value === 0 || Number.isNaN(value))

/** Whether a condition holds. Throws ExpressionFault. */
export const holds = (condition: string, scope: Scope, budget?: ExpressionBudget): boolean =>
  isTruthy(evaluate(condition, scope, budget))

/** The status functions of a job or step that starts now. */
export const statusFunctions = (status: {
  success: boolean
  failure: boolean
  cancelled: boolean
}): ExpressionFunctions => ({
  success: () => status.success,
  failure: () => status.failure,
  cancelled: () => status.cancelled,
  always: () => true,
})

/**
 * Evaluates with a `hashFiles` whose answer takes time: what runs meets an unknown hash, waits for
 * it and begins again. `hash` gets the patterns.
 */
export async function withHashFiles<T>(
  run: (functions: ExpressionFunctions) => T,
  hash: (patterns: readonly string[]) => Promise<string>,
): Promise<T> {
  const known = new Map<string, string>()
  const hashFiles = (...patterns: readonly Json[]): Json => {
    const found = known.get(JSON.stringify(patterns))
    if (found === undefined) throw new MissingHash(patterns.map(String))
    return found
  }
  for (;;) {
    try {
      return run({ hashFiles })
    } catch (error) {
      if (!(error instanceof MissingHash)) throw error
      known.set(JSON.stringify(error.patterns), await hash(error.patterns))
    }
  }
}

class MissingHash extends PassThrough {
  constructor(readonly patterns: readonly string[]) {
    super('hashFiles was not computed yet')
  }
}

/** Every node of an expression. */
function* nodesOf(node: Expr): Generator<Expr> {
  yield node
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* nodesOf(child)
  }
}

const isNode = (value: unknown): value is Expr =>
  typeof value === 'object' && value !== null && 'accept' in value

/** Whether an expression calls `success`, `failure`, `always` or `cancelled`. */
export function asksForStatus(expression: Expr): boolean {
  return [...nodesOf(expression)].some((node) => {
    const name = (node as Partial<FunctionCall>).functionName?.lexeme.toLowerCase()
    return STATUS_FUNCTIONS.some((one) => one === name)
  })
}

/** The keys of a context that an expression names; `all` when it reads the context whole. */
export function keysRead(expression: Expr, context: string): readonly string[] | 'all' {
  const keys: string[] = []
  const named = new Set<Expr>()
  for (const node of nodesOf(expression)) {
    const access = node as Partial<IndexAccess>
    if (access.expr && access.index && isContext(access.expr, context)) {
      const literal = (access.index as { literal?: Data }).literal
      if (!literal || literal.kind !== data.Kind.String) return 'all'
      keys.push(literal.value)
      named.add(access.expr)
    } else if (isContext(node, context) && !named.has(node)) return 'all'
  }
  return keys
}

const isContext = (node: Expr, context: string): boolean =>
  (node as { name?: Token }).name?.lexeme.toLowerCase() === context
