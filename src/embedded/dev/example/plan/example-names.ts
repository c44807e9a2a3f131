/** A part of a name, and its Latin letters for the e-mail address. */
type Part = readonly [written: string, latin: string];

interface NameList {
  readonly given: readonly Part[];
  readonly family: readonly Part[];
  /** Joins the two parts. */
  readonly join: (given: string, family: string) => string;
}

const western = (given: string, family: string): string => `${given} ${family}`;
const familyFirst = (given: string, family: string): string => `${family} ${given}`;
const closeUp = (given: string, family: string): string => `${family}${given}`;

/** Names in twelve scripts, five given and five family names each: 300 users. */
export const EXAMPLE_NAMES: readonly NameList[] = [
  list(
    western,
    'Zoé zoe,José jose,Inês ines,Chloé chloe,Ramón ramon',
    'Lefèvre lefevre,Muñoz munoz,Gonçalves goncalves,D’Angelo dangelo,Peña pena',
  ),
  list(
    western,
    'Łukasz lukasz,Šárka sarka,Jürgen juergen,Zsófia zsofia,Ágnes agnes',
    'Wójcik wojcik,Dvořák dvorak,Größl groessl,Szőke szoke,Żak zak',
  ),
  list(
    western,
    'Åsa asa,Øyvind oyvind,İbrahim ibrahim,Thảo thao,Þóra thora',
    'Sjöström sjostrom,Bjørnsen bjornsen,Yıldız yildiz,Trần tran,Guðmunds gudmunds',
  ),
  list(
    western,
    'محمد mohammed,فاطمة fatima,خالد khaled,ليلى layla,يوسف yousef',
    'الأحمد alahmad,حداد haddad,المصري almasri,خوري khoury,النجار alnajjar',
  ),
  list(closeUp, '伟 wei,芳 fang,秀英 xiuying,明 ming,静怡 jingyi', '王 wang,李 li,陈 chen,刘 liu,张 zhang'),
  list(
    familyFirst,
    '花子 hanako,太郎 taro,さくら sakura,健一 kenichi,ミカ mika',
    '佐藤 sato,鈴木 suzuki,高橋 takahashi,田中 tanaka,渡辺 watanabe',
  ),
  list(closeUp, '민준 minjun,서연 seoyeon,지우 jiwoo,하은 haeun,도윤 doyun', '김 kim,이 lee,박 park,최 choi,정 jung'),
  list(
    western,
    'Анна anna,Дмитрий dmitri,Ольга olga,Тарас taras,Ђорђе djordje',
    'Шевченко shevchenko,Коваленко kovalenko,Бондарчук bondarchuk,Петренко petrenko,Иваненко ivanenko',
  ),
  list(
    western,
    'Ελένη eleni,Γιώργος giorgos,Σοφία sofia,Νίκος nikos,Κατερίνα katerina',
    'Οικονόμου oikonomou,Γεωργίου georgiou,Ιωάννου ioannou,Νικολάου nikolaou,Δημητρίου dimitriou',
  ),
  list(
    western,
    'נועה noa,דוד david,שירה shira,יונתן yonatan,תמר tamar',
    'כהן cohen,לוי levi,מזרחי mizrahi,פרץ peretz,ביטון biton',
  ),
  list(
    western,
    'आरव aarav,प्रिया priya,राहुल rahul,अनन्या ananya,विक्रम vikram',
    'शर्मा sharma,वर्मा verma,गुप्ता gupta,जोशी joshi,मेहता mehta',
  ),
  list(
    western,
    'สมชาย somchai,กมล kamon,นภา napha,อรุณ arun,มาลี mali',
    'ใจดี jaidee,ศรีสุข srisuk,วงศ์ไทย wongthai,ทองคำ thongkham,บุญมี boonmee',
  ),
];

/** Names that are hard to display, by the number of the user. */
export const UNUSUAL_NAMES: ReadonlyMap<number, string> = new Map([
  [7, 'Maria-Magdalena Theresia Josefina Gräfin von Habichtsburg-Wettersteingebirge zu Unterlangenfeld am Hohen Ufer'],
  [57, 'X Æ'],
  [85, 'مؤسسة الشرق للخدمات الطبية والتعليمية – قسم الاستقبال والمواعيد'],
  [110, '李'],
]);

function list(join: NameList['join'], given: string, family: string): NameList {
  return { join, given: partsOf(given), family: partsOf(family) };
}

function partsOf(text: string): Part[] {
  return text.split(',').map((part) => part.split(' ') as [string, string]);
}
