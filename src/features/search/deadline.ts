/** The time at which a search must return. */
export type Deadline = { passed(): boolean }

export const deadlineIn = (milliseconds: number): Deadline => {
  const end = performance.now() + milliseconds
  return { passed: () => performance.now() >= end }
}
