// The chunk that is loaded when a map is shown for the first time.
import '../style/map.css'
import '../style/hallMap.css'
import '../style/sectionMap.css'
import '../style/rowLabels.css'
import '../style/seatCanvas.css'
import '../style/seatList.css'

export { HallFigure } from './HallFigure.tsx'
export { SectionFigure } from './SectionFigure.tsx'
