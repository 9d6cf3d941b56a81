// The icons and words for the kinds of changes to a file.
import type { IconName } from './icon.tsx'

const FILE_STATUS_STYLES: Record<string, { icon: IconName; word: string; tone: string }> = {
  added: { icon: 'diff-added', word: 'Added', tone: 'good' },
  removed: { icon: 'diff-removed', word: 'Removed', tone: 'bad' },
  renamed: { icon: 'diff-renamed', word: 'Renamed', tone: 'info' },
  copied: { icon: 'copy', word: 'Copied', tone: 'info' },
  modified: { icon: 'diff-modified', word: 'Changed', tone: 'wait' },
  type_changed: { icon: 'diff-modified', word: 'Type changed', tone: 'wait' },
}

export const fileStatusStyle = (status: string) =>
  FILE_STATUS_STYLES[status] ?? { icon: 'diff-modified' as const, word: status, tone: 'plain' }
