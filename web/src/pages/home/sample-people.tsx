import { Group, Text } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { homeTexts } from '../../texts/home.ts'
import classes from './home.module.css'
import type { Sample } from './sample.ts'

const texts = homeTexts.sample.people

/** People to search as. */
export function SamplePeople({ people }: Pick<Sample, 'people'>) {
  return (
    <Panel title={texts.title} description={texts.description}>
      <ul className={classes.steps}>
        {people.map(({ id, name, role }) => (
          <li key={id}>
            <Text fw={500}>
              {name}, {role.toLowerCase()}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Text size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {id}
              </Text>
              <CopyButton text={id} what={texts.id(name)} />
            </Group>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
