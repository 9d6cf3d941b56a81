/** Plain JSON, and helpers that treat every key of a stranger's mapping as data. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Like `Array.isArray`, which does not narrow readonly arrays. */
export const isJsonArray = (value: Json | undefined): value is readonly Json[] =>
  Array.isArray(value)

/** The own property of that name; undefined for `constructor` and its like. */
export const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** How GitHub spells a scalar where a string is expected: null is empty, numbers have 15 digits. */
export function scalarText(value: Json): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number') return numberText(value)
  return isJsonArray(value) ? 'Array' : 'Object'
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (value === 0) return '0'
  const [mantissa = '', exponent] = String(Number(value.toPrecision(15))).split('e')
  if (exponent === undefined && Math.abs(value) < 1e15) return mantissa
  // .NET's format G15, which GitHub's runner uses: 1.58710667238376E+18.
  const [digits = '', power = '+0'] = value.toExponential(14).split('e')
  const sign = power.startsWith('-') ? '-' : '+'
  const plain = digits.includes('.') ? trimZeros(digits) : digits
  return `${plain}E${sign}${power.slice(1).padStart(2, '0')}`
}

function trimZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  if (digits[end - 1] === '.') end--
  return digits.slice(0, end)
}
