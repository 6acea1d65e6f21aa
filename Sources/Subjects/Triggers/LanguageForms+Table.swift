/// Further languages, from CLDR 48, one in a line: the decimal mark, the mark of groups, the least number of digits that are
/// grouped, the clock, the pattern of a date, and the months after a day.
///
/// `_` stands for a non-breaking space, `~` for a narrow one. A clock is `24` (`09:30`), `9` (`9:30`), either with a point in
/// place of the colon, or the words for the two halves of the day, which a third field puts in front of the time.
///
/// Languages that write other digits, or count by another calendar, are not here, nor those whose digits stand in groups of two.
extension LanguageForms {
    /// By the tags of the languages.
    static let further: [String: LanguageForms] = {
        var forms: [String: LanguageForms] = [:]
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map { spaced($0) }
            precondition(fields.count == 7, "a language has seven fields: \(line)")
            forms[fields[0]] = LanguageForms(fields)
        }
        // Hebrew by its code of today, which is also an English word.
        forms["h" + "e"] = forms["iw"]
        return forms
    }()

    private init(_ fields: [String]) {
        let months = fields[6].split(separator: ",").map(String.init)
        precondition(months.count == 12, "\(fields[0]) has twelve months")
        self.init(
            decimal: fields[1], group: fields[2], groupsFrom: Int(fields[3]) ?? 4, months: months, date: fields[5],
            clock: Self.clock(fields[4]))
    }

    private static func clock(_ text: String) -> Clock {
        switch text {
        case "24": return .hours24
        case "24.": return .hours24Point
        case "9": return .hours24Short
        case "9.": return .hours24ShortPoint
        default:
            let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            precondition(words.count == 2 || words.count == 3, "a clock has two words: \(text)")
            guard words.count == 3 else { return .hours12(am: words[0], pm: words[1]) }
            return .hours12After(am: words[0] + words[2], pm: words[1] + words[2])
        }
    }

    private static func spaced(_ text: Substring) -> String {
        String(text).replacing("_", with: "\u{a0}").replacing("~", with: "\u{202f}")
    }

    private static let table = """
        am|.|,|4|ጥዋት/ከሰዓት|D M Y|ጃንዋሪ,ፌብሩዋሪ,ማርች,ኤፕሪል,ሜይ,ጁን,ጁላይ,ኦገስት,ሴፕቴምበር,ኦክቶበር,ኖቬምበር,ዲሴምበር
        az|,|.|4|24|D M Y|yanvar,fevral,mart,aprel,may,iyun,iyul,avqust,sentyabr,oktyabr,noyabr,dekabr
        be|,|_|4|24|D M Y~г.|студзеня,лютага,сакавіка,красавіка,мая,чэрвеня,ліпеня,жніўня,верасня,кастрычніка,лістапада,снежня
        bg|,|_|5|9|D M Y~г.|януари,февруари,март,април,май,юни,юли,август,септември,октомври,ноември,декември
        bs|,|.|4|24|D. M Y.|januar,februar,mart,april,maj,juni,juli,august,septembar,oktobar,novembar,decembar
        ca|,|.|4|9|D M del Y|de gener,de febrer,de març,d’abril,de maig,de juny,de juliol,d’agost,de setembre,d’octubre,de novembre,\
        de desembre
        cs|,|_|4|9|D. M Y|ledna,února,března,dubna,května,června,července,srpna,září,října,listopadu,prosince
        cy|.|,|4|24|D M Y|Ionawr,Chwefror,Mawrth,Ebrill,Mai,Mehefin,Gorffennaf,Awst,Medi,Hydref,Tachwedd,Rhagfyr
        da|,|.|4|24.|D. M Y|januar,februar,marts,april,maj,juni,juli,august,september,oktober,november,december
        et|,|_|5|24|D. M Y|jaanuar,veebruar,märts,aprill,mai,juuni,juuli,august,september,oktoober,november,detsember
        eu|,|.|4|24|Y(e)ko Mren D(a)|urtarrila,otsaila,martxoa,apirila,maiatza,ekaina,uztaila,abuztua,iraila,urria,azaroa,abendua
        fi|,|_|4|9.|D. M Y|tammikuuta,helmikuuta,maaliskuuta,huhtikuuta,toukokuuta,kesäkuuta,heinäkuuta,elokuuta,syyskuuta,lokakuuta,\
        marraskuuta,joulukuuta
        fil|.|,|4|AM/PM|M D, Y|Enero,Pebrero,Marso,Abril,Mayo,Hunyo,Hulyo,Agosto,Setyembre,Oktubre,Nobyembre,Disyembre
        ga|.|,|4|24|D M Y|Eanáir,Feabhra,Márta,Aibreán,Bealtaine,Meitheamh,Iúil,Lúnasa,Meán Fómhair,Deireadh Fómhair,Samhain,Nollaig
        gl|,|.|4|24|D de M de Y|xaneiro,febreiro,marzo,abril,maio,xuño,xullo,agosto,setembro,outubro,novembro,decembro
        ha|.|,|4|24|D M, Y|Janairu,Faburairu,Maris,Afirilu,Mayu,Yuni,Yuli,Agusta,Satumba,Oktoba,Nuwamba,Disamba
        iw|.|,|4|9|D בM Y|ינואר,פברואר,מרץ,אפריל,מאי,יוני,יולי,אוגוסט,ספטמבר,אוקטובר,נובמבר,דצמבר
        hr|,|.|4|24|D. M Y.|siječnja,veljače,ožujka,travnja,svibnja,lipnja,srpnja,kolovoza,rujna,listopada,studenoga,prosinca
        hu|,|_|4|9|Y. M D.|január,február,március,április,május,június,július,augusztus,szeptember,október,november,december
        id|,|.|4|24.|D M Y|Januari,Februari,Maret,April,Mei,Juni,Juli,Agustus,September,Oktober,November,Desember
        ig|.|,|4|24|D M Y|Jenụwarị,Febrụwarị,Maachị,Epreel,Mee,Jun,Julaị,Ọgọọst,Septemba,Ọktoba,Novemba,Disemba
        is|,|.|4|24|D. M Y|janúar,febrúar,mars,apríl,maí,júní,júlí,ágúst,september,október,nóvember,desember
        ja|.|,|4|9|Y年MD日|1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月
        ka|,|_|5|24|D M, Y|იანვარი,თებერვალი,მარტი,აპრილი,მაისი,ივნისი,ივლისი,აგვისტო,სექტემბერი,ოქტომბერი,ნოემბერი,დეკემბერი
        kk|,|_|4|24|Y~ж. D M|қаңтар,ақпан,наурыз,сәуір,мамыр,маусым,шілде,тамыз,қыркүйек,қазан,қараша,желтоқсан
        km|.|,|4|AM/PM|D M Y|មករា,កុម្ភៈ,មីនា,មេសា,ឧសភា,មិថុនា,កក្កដា,សីហា,កញ្ញា,តុលា,វិច្ឆិកា,ធ្នូ
        ko|.|,|4|오전/오후/ |Y년 M D일|1월,2월,3월,4월,5월,6월,7월,8월,9월,10월,11월,12월
        ky|,|_|4|24|Y-ж., D-M|январь,февраль,март,апрель,май,июнь,июль,август,сентябрь,октябрь,ноябрь,декабрь
        lb|,|.|4|24|D. M Y|Januar,Februar,Mäerz,Abrëll,Mee,Juni,Juli,August,September,Oktober,November,Dezember
        lo|,|.|4|9|D M Y|ມັງກອນ,ກຸມພາ,ມີນາ,ເມສາ,ພຶດສະພາ,ມິຖຸນາ,ກໍລະກົດ,ສິງຫາ,ກັນຍາ,ຕຸລາ,ພະຈິກ,ທັນວາ
        lt|,|_|4|24|Y m. M D d.|sausio,vasario,kovo,balandžio,gegužės,birželio,liepos,rugpjūčio,rugsėjo,spalio,lapkričio,gruodžio
        lv|,|_|5|24|Y. gada D. M|janvāris,februāris,marts,aprīlis,maijs,jūnijs,jūlijs,augusts,septembris,oktobris,novembris,decembris
        mk|,|.|4|24|D M Y~г.|јануари,февруари,март,април,мај,јуни,јули,август,септември,октомври,ноември,декември
        mn|.|,|4|24|Y~оны Mын D|нэгдүгээр сар,хоёрдугаар сар,гуравдугаар сар,дөрөвдүгээр сар,тавдугаар сар,зургаадугаар сар,\
        долоодугаар сар,наймдугаар сар,есдүгээр сар,аравдугаар сар,арван нэгдүгээр сар,арван хоёрдугаар сар
        ms|.|,|4|PG/PTG|D M Y|Januari,Februari,Mac,April,Mei,Jun,Julai,Ogos,September,Oktober,November,Disember
        mt|.|,|4|24|D ta’ M Y|Jannar,Frar,Marzu,April,Mejju,Ġunju,Lulju,Awwissu,Settembru,Ottubru,Novembru,Diċembru
        nb|,|_|4|24|D. M Y|januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember
        nl|,|.|4|24|D M Y|januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december
        nn|,|_|4|24|D. M Y|januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember
        no|,|_|4|24|D. M Y|januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember
        pt|,|.|4|24|D de M de Y|janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro
        pt-PT|,|_|5|24|D de M de Y|janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro
        rm|.|’|4|24|D M Y|da schaner,da favrer,da mars,d’avrigl,da matg,da zercladur,da fanadur,d’avust,da settember,d’october,\
        da november,da december
        ro|,|.|4|24|D M Y|ianuarie,februarie,martie,aprilie,mai,iunie,iulie,august,septembrie,octombrie,noiembrie,decembrie
        sk|,|_|4|9|D. M Y|januára,februára,marca,apríla,mája,júna,júla,augusta,septembra,októbra,novembra,decembra
        sl|,|.|4|24|D. M Y|januar,februar,marec,april,maj,junij,julij,avgust,september,oktober,november,december
        so|.|,|4|GH/GD|M D, Y|Janaayo,Febraayo,Maarso,Abriil,Maayo,Juun,Luulyo,Agosto,Sebtembar,Oktoobar,Noofeembar,Diseembar
        sr|,|.|4|24|D. M Y.|јануар,фебруар,март,април,мај,јун,јул,август,септембар,октобар,новембар,децембар
        sr-Latn|,|.|4|24|D. M Y.|januar,februar,mart,april,maj,jun,jul,avgust,septembar,oktobar,novembar,decembar
        sv|,|_|4|24|D M Y|januari,februari,mars,april,maj,juni,juli,augusti,september,oktober,november,december
        sw|.|,|4|24|D M Y|Januari,Februari,Machi,Aprili,Mei,Juni,Julai,Agosti,Septemba,Oktoba,Novemba,Desemba
        tk|,|_|4|24|D M Y|ýanwar,fewral,mart,aprel,maý,iýun,iýul,awgust,sentýabr,oktýabr,noýabr,dekabr
        ur|.|,|4|AM/PM|D M، Y|جنوری,فروری,مارچ,اپریل,مئی,جون,جولائی,اگست,ستمبر,اکتوبر,نومبر,دسمبر
        uz|,|_|4|24|D-M, Y|yanvar,fevral,mart,aprel,may,iyun,iyul,avgust,sentabr,oktabr,noyabr,dekabr
        vi|,|.|4|24|ngày D M, Y|tháng 1,tháng 2,tháng 3,tháng 4,tháng 5,tháng 6,tháng 7,tháng 8,tháng 9,tháng 10,tháng 11,tháng 12
        xh|.|_|4|24|M D, Y|Janyuwari,Februwari,Matshi,Epreli,Meyi,Juni,Julayi,Agasti,Septemba,Okthobha,Novemba,Disemba
        yue|.|,|4|上午/下午/|Y年MD日|1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月
        zh|.|,|4|24|Y年MD日|1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月
        zu|.|,|4|24|M D, Y|Januwari,Februwari,Mashi,Ephreli,Meyi,Juni,Julayi,Agasti,Septhemba,Okthoba,Novemba,Disemba
        """
}
