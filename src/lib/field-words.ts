/** Lists the names of fields in a sentence: `default branch, description`. */
export const fieldWords = (fields: readonly string[]): string =>
  fields.map((field) => field.replaceAll('_', ' ')).join(', ')
