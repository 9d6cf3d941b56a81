/** The pattern of SQL's `LIKE ? ESCAPE '\\'` that finds a text anywhere. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
