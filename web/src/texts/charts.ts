export const chartTexts = {
  asTable: 'Show as table',
  asChart: 'Show as chart',
}
