/**
 * Reads SARIF 2.1.0 as scanners write it. Nothing is validated against the schema, because real
 * files break it in trifles; what cannot be read is counted and named.
 */
import { gunzipSync } from 'node:zlib'
import { findJsonExcess } from '#lib/parse-json.ts'
import type { Severity } from '../../schema.ts'
import { arrayOf, objectOf, type JsonObject } from '#lib/json-value.ts'
import { textOf } from './json.ts'
import { FileIndex, regionOf, type FilePlace, type Region } from './locations.ts'
import { messageText, RuleIndex, ruleRecord, severityOf, type SarifRule } from './rules.ts'

export const MAX_INFLATED_BYTES = 100 * 1024 ** 2
const MAX_RUNS = 20
const MAX_RESULTS = 25_000
/** Of each run the most severe results are kept. */
export const MAX_KEPT = 5_000
/** Deeper than files of scanners, whose flows and fixes nest about 20 deep. */
const MAX_DEPTH = 100
/** As many take about 0.7 GB when they are parsed. */
const MAX_VALUES = 3_000_000
const MAX_MESSAGE_CHARS = 1_000
const MAX_NAME_CHARS = 100

export type SarifResult = {
  readonly rule_id: string
  readonly severity: Severity
  readonly message: string
  readonly place: FilePlace
  readonly region: Region
  /** The hash of the line, where the file gives one that tells its results apart. */
  readonly fingerprint: string | null
}

export type SarifRun = {
  readonly tool: string
  readonly tool_version: string | null
  /** From `automationDetails`; null when it has none. */
  readonly category: string | null
  /** How many results report a fault. */
  readonly total: number
  readonly dropped: number
  readonly results: readonly SarifResult[]
  readonly rules: readonly SarifRule[]
  readonly errors: readonly string[]
}

/** The file cannot be taken; the message says why. */
export class SarifFault extends Error {}

/** The text of a file that may be compressed, in UTF-8 or UTF-16, with or without a mark. */
function decodeFile(bytes: Uint8Array): string {
  let data = bytes
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    try {
      data = gunzipSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES })
    } catch (error) {
      if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE')
        throw new SarifFault('is larger than the 100 MiB that are taken')
      throw new SarifFault('is not complete gzip')
    }
  if (data.length > MAX_INFLATED_BYTES)
    throw new SarifFault('is larger than the 100 MiB that are taken')
  const little = (data[0] === 0xff && data[1] === 0xfe) || (data[0] === 0x7b && data[1] === 0)
  const big = (data[0] === 0xfe && data[1] === 0xff) || (data[0] === 0 && data[1] === 0x7b)
  const text = new TextDecoder(little ? 'utf-16le' : big ? 'utf-16be' : 'utf-8').decode(data)
  requireSimple(little || big ? new TextEncoder().encode(text) : data)
  return text
}

/** Before it is parsed: 40 million brackets compress to 80 kB, and take 3 GB as objects. */
function requireSimple(json: Uint8Array): void {
  const excess = findJsonExcess(json, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })
  if (excess === 'depth') throw new SarifFault(`is nested more than ${MAX_DEPTH} deep`)
  if (excess === 'values') throw new SarifFault(`has more than ${MAX_VALUES} values`)
}

/** The runs of a file. Throws SarifFault. */
export function readRuns(bytes: Uint8Array): readonly JsonObject[] {
  let file: unknown
  try {
    file = JSON.parse(decodeFile(bytes))
  } catch (error) {
    if (error instanceof SarifFault) throw error
    throw new SarifFault('is not JSON')
  }
  const { version, runs } = objectOf(file)
  if (version !== '2.1.0')
    throw new SarifFault(
      `has the version ${JSON.stringify(version ?? null).slice(0, 40)}: SARIF 2.1.0 is taken`,
    )
  if (!Array.isArray(runs)) throw new SarifFault('has no runs')
  if (runs.length > MAX_RUNS) throw new SarifFault(`has ${runs.length} runs: ${MAX_RUNS} are taken`)
  for (const run of runs) {
    const count = arrayOf(objectOf(run).results).length
    if (count > MAX_RESULTS)
      throw new SarifFault(`has a run with ${count} results: ${MAX_RESULTS} are taken`)
  }
  return runs.map(objectOf)
}

/** `{0}` stands for an argument, and `{{` for a brace (SARIF 2.1.0, section 3.11.5). */
const formatMessage = (template: string, values: readonly unknown[]): string =>
  template.replace(/\{\{|\}\}|\{(\d{1,3})\}/g, (whole, index?: string) =>
    index === undefined ? whole.slice(1) : String(values[Number(index)] ?? whole),
  )

function messageOf(
  result: JsonObject,
  rule: JsonObject,
  driver: JsonObject,
  ruleId: string,
): string {
  const message = objectOf(result.message)
  const id = textOf(message.id)
  const template =
    messageText(message) ??
    (id === null
      ? null
      : (messageText(objectOf(rule.messageStrings)[id]) ??
        messageText(objectOf(driver.globalMessageStrings)[id])))
  const text =
    template === null
      ? (messageText(rule.shortDescription) ?? messageText(rule.fullDescription) ?? ruleId)
      : formatMessage(template, arrayOf(message.arguments))
  return text.slice(0, MAX_MESSAGE_CHARS)
}

/** `hex` or `hex:count` under the name that the upload action uses. Other fingerprints differ in kind. */
const fingerprintOf = (result: JsonObject): string | null => {
  const value = textOf(objectOf(result.partialFingerprints).primaryLocationLineHash)
  return value === null
    ? null
    : (/^([0-9a-f]{1,32})(:\d+)?$/i.exec(value)?.[1]?.toLowerCase() ?? null)
}

type Ranked = SarifResult & { readonly rank: number }

/** Values that a tool gives to results on different lines identify nothing. */
function dropSharedFingerprints(results: readonly Ranked[]): readonly Ranked[] {
  const lines = new Map<string, string>()
  const shared = new Set<string>()
  for (const { fingerprint, rule_id, place, region } of results) {
    if (fingerprint === null) continue
    const at = `${JSON.stringify(place)} ${region.line}`
    const key = `${rule_id} ${fingerprint}`
    if ((lines.get(key) ?? at) !== at) shared.add(key)
    lines.set(key, at)
  }
  return results.map((result) =>
    shared.has(`${result.rule_id} ${result.fingerprint}`)
      ? { ...result, fingerprint: null }
      : result,
  )
}

/** `a/b/` and `a/b/run` name the category `a/b`; `a` names `a`. */
function categoryOf(run: JsonObject): string | null {
  const id = textOf(objectOf(run.automationDetails).id)
  if (id === null) return null
  const at = id.lastIndexOf('/')
  return (at === -1 ? id : id.slice(0, at)).slice(0, MAX_NAME_CHARS) || null
}

const FIRST = 0

/** What the forge keeps of a run. */
export function readRun(run: JsonObject): SarifRun {
  const tool = objectOf(run.tool)
  const driver = objectOf(tool.driver)
  const name = (textOf(driver.name)?.trim() || 'unnamed tool').slice(0, MAX_NAME_CHARS)
  const rules = new RuleIndex(tool)
  const files = new FileIndex(run)
  const used = new Map<string, SarifRule>()
  const results: Ranked[] = []
  let total = 0
  let unplaced = 0
  for (const result of arrayOf(run.results).map(objectOf)) {
    const { id, rule } = rules.find(result, name)
    const severity = severityOf(result, rule)
    if (severity === null) continue
    total++
    const physical = objectOf(objectOf(arrayOf(result.locations)[FIRST]).physicalLocation)
    const place = files.place(objectOf(physical.artifactLocation))
    if (place === null) {
      unplaced++
      continue
    }
    if (!used.has(id)) used.set(id, ruleRecord(id, rule))
    results.push({
      rule_id: id,
      ...severity,
      message: messageOf(result, rule, driver, id),
      place,
      region: regionOf(physical),
      fingerprint: fingerprintOf(result),
    })
  }
  const kept = dropSharedFingerprints(results.sort((a, b) => a.rank - b.rank).slice(0, MAX_KEPT))
  const named = new Set(kept.map(({ rule_id }) => rule_id))
  return {
    tool: name,
    tool_version:
      (textOf(driver.semanticVersion) ?? textOf(driver.version))?.slice(0, MAX_NAME_CHARS) ?? null,
    category: categoryOf(run),
    total,
    dropped: total - kept.length,
    results: kept,
    rules: [...used.values()].filter(({ id }) => named.has(id)),
    errors: errorsOf(run, unplaced),
  }
}

function errorsOf(run: JsonObject, unplaced: number): string[] {
  const errors: string[] = []
  if (unplaced > 0) errors.push(`${unplaced} results name no file of the repository`)
  if (Object.keys(objectOf(run.externalPropertyFileReferences)).length > 0)
    errors.push('parts of the run are in other files, which are not read')
  const failed = arrayOf(run.invocations).filter(
    (invocation) => objectOf(invocation).executionSuccessful === false,
  ).length
  if (failed > 0) errors.push('the tool reports that its run failed')
  return errors
}

/** The line of a number of characters before it. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  const end = Math.min(offset, text.length)
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === 10) line++
  return line
}
