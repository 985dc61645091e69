import { ActionIcon, Drawer, Group, Paper, Tabs, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useId } from 'react'
import { labTexts } from '../../../texts/lab.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { useLab } from '../lab-context.ts'
import { Readers } from '../readers.tsx'
import { resultId } from '../result-id.ts'
import { titleId } from '../result-row.tsx'
import { type PaneProps, type PaneTab, paneTabs } from '../types.ts'
import { CopyTab } from './copy-tab.tsx'
import classes from './pane.module.css'
import { TextTab } from './text-tab.tsx'

const texts = labTexts.pane

/** Details of the chosen result: next to the list, or a drawer on narrow screens. */
export function ResultPane({ document, names }: PaneProps) {
  const { go } = useLab()
  const id = useId()
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const { title: name, record_id: recordId, path_in_archive: path } = document
  const title = [name ?? recordId, path].filter(Boolean).join(': ')
  const close = () => void go({ record: undefined }, { replace: true })
  if (!isWide)
    return (
      <Drawer
        opened
        onClose={close}
        title={title}
        position="bottom"
        size="90%"
        closeButtonProps={{ 'aria-label': shellTexts.close }}
      >
        <PaneTabs document={document} names={names} />
      </Drawer>
    )
  return (
    <Paper component="aside" aria-labelledby={id} withBorder className={classes.pane}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="xs">
        <Title order={3} id={id} className={classes.title}>
          {title}
        </Title>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.close}
          onClick={() => {
            globalThis.document.getElementById(titleId(resultId(document)))?.focus()
            close()
          }}
        >
          <IconX size={16} />
        </ActionIcon>
      </Group>
      <PaneTabs document={document} names={names} />
    </Paper>
  )
}

function PaneTabs({ document, names }: PaneProps) {
  const { address, destination, terms, mayName, go } = useLab()
  // Only administrators may see who else can read a document.
  const tabs = paneTabs.filter((tab) => tab !== 'access' || mayName)
  const tab = tabs.find((each) => each === address.tab) ?? 'text'
  return (
    <Tabs
      value={tab}
      // The tabs are those of the list.
      onChange={(next) => void go({ tab: (next ?? undefined) as PaneTab | undefined }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List aria-label={texts.label} mb="md">
        {tabs.map((each) => (
          <Tabs.Tab key={each} value={each} px={10}>
            {texts.tabs[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="text">
        <TextTab document={document} />
      </Tabs.Panel>
      {mayName ? (
        <Tabs.Panel value="access">
          <Readers recordId={document.record_id} destinationId={destination.id} terms={terms} />
        </Tabs.Panel>
      ) : null}
      <Tabs.Panel value="copy">
        <CopyTab names={names} />
      </Tabs.Panel>
    </Tabs>
  )
}
