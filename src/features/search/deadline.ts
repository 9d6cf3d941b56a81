/** When a search must have answered. */
export type Deadline = { passed(): boolean }

export const deadlineIn = (milliseconds: number): Deadline => {
  const end = performance.now() + milliseconds
  return { passed: () => performance.now() >= end }
}
