// The icons, letters and words for the kinds of changes to a file.
import type { IconName } from './icon.tsx'
import { localized } from '../text.ts'

/** `mark` is the class of the letter in the tree, as `git status` has it. */
type FileStatusStyle = { icon: IconName; word: string; tone: string; mark: string }

const MODIFIED = localized({
  icon: 'diff-modified',
  word: 'Changed',
  tone: 'wait',
  mark: 'modified',
} as const)

const FILE_STATUS_STYLES: Record<string, FileStatusStyle> = localized({
  added: { icon: 'diff-added', word: 'Added', tone: 'good', mark: 'added' },
  removed: { icon: 'diff-removed', word: 'Removed', tone: 'bad', mark: 'removed' },
  renamed: { icon: 'diff-renamed', word: 'Renamed', tone: 'info', mark: 'renamed' },
  copied: { icon: 'copy', word: 'Copied', tone: 'info', mark: 'copied' },
  modified: MODIFIED,
  type_changed: { ...MODIFIED, word: 'Type changed', mark: 'type' },
})

export const fileStatusStyle = (status: string): FileStatusStyle =>
  FILE_STATUS_STYLES[status] ?? { ...MODIFIED, word: status, tone: 'plain' }
