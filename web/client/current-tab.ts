// On a phone the tab of the page may be beyond the edge of its row: the row is scrolled to it.
for (const tab of document.querySelectorAll(':is(.tabs, .sidenav) [aria-current]'))
  tab.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
