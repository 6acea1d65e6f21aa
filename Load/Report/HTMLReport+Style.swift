extension HTMLReport {
    static let style = """
        :root{color-scheme:light dark;--ground:#fff;--card:#f7f7f5;--ink:#1c1c1a;--soft:#66665f;--line:#deded8;\
        --good:#13713c;--bad:#b3261e;--s0:#2a5bd7;--s1:#c2571a;--s2:#177d6f;--s3:#8a3fb0;--s4:#8c6d00;--s5:#5b6470;\
        --s6:#b3265e;--s7:#4f7a1f}
        @media(prefers-color-scheme:dark){:root{--ground:#161615;--card:#1f1f1d;--ink:#ecece6;\
        --soft:#a3a39a;--line:#3a3a36;\
        --good:#62c98b;--bad:#ff8a80;--s0:#86a8ff;--s1:#ff9f66;--s2:#5fd0bf;--s3:#d59bf0;--s4:#e0c04c;--s5:#aab3bf;\
        --s6:#ff8fb8;--s7:#a8d36b}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,sans-serif}
        main{max-width:1180px;margin:0 auto;padding:28px 20px 60px}
        h1{font-size:24px;margin:0 0 14px}h2{font-size:18px;margin:34px 0 12px}
        dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,500px),1fr));gap:4px 28px;margin:0 0 18px}
        dl div{display:flex;gap:10px;min-width:0}dt{color:var(--soft);flex:0 0 138px}dd{margin:0;overflow-wrap:anywhere}
        .good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
        .wide{overflow-x:auto}table{border-collapse:collapse;width:100%;\
        font-variant-numeric:tabular-nums;font-size:14px}
        th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
        th{color:var(--soft);font-weight:500;vertical-align:bottom}
        th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:230px}
        .words th,.words td{text-align:left;white-space:normal;vertical-align:top}
        .words td:last-child{white-space:nowrap}
        .words td p{margin:3px 0 0;color:var(--soft);line-height:1.35}.words td{overflow-wrap:anywhere}
        .words td:first-child{width:52%}.words p.why{color:var(--bad);font-size:13px}
        small{font-size:12.5px;color:var(--soft)}.lead{font-size:18px;margin:10px 0}
        .two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:0 32px}
        .two ul{margin:6px 0;padding-left:18px}.two li{margin:6px 0}h3{font-size:16px;margin:12px 0 4px}
        figure p,figure p.good,figure p.bad{margin:8px 0 0;font-size:13px;font-weight:400;line-height:1.35}
        .plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:16px}
        figure{margin:0;padding:14px;background:var(--card);border:1px solid var(--line);border-radius:8px;min-width:0}
        figcaption{font-weight:600;margin-bottom:8px}
        figcaption span{display:block;font-weight:400;font-size:13px;color:var(--soft)}
        svg{display:block;width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}
        .grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
        polyline{fill:none;stroke-width:2;stroke-linejoin:round}
        polyline.s0{stroke:var(--s0)}polyline.s1{stroke:var(--s1)}polyline.s2{stroke:var(--s2)}
        polyline.s3{stroke:var(--s3)}polyline.s4{stroke:var(--s4)}polyline.s5{stroke:var(--s5)}
        polyline.s6{stroke:var(--s6)}polyline.s7{stroke:var(--s7)}
        circle.s0{fill:var(--s0)}circle.s1{fill:var(--s1)}circle.s2{fill:var(--s2)}
        circle.s3{fill:var(--s3)}circle.s4{fill:var(--s4)}circle.s5{fill:var(--s5)}
        circle.s6{fill:var(--s6)}circle.s7{fill:var(--s7)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;padding:0;font-size:13px}
        .legend i{display:inline-block;width:14px;height:3px;margin-right:6px;vertical-align:middle}
        i.s0{background:var(--s0)}i.s1{background:var(--s1)}i.s2{background:var(--s2)}
        i.s3{background:var(--s3)}i.s4{background:var(--s4)}i.s5{background:var(--s5)}
        i.s6{background:var(--s6)}i.s7{background:var(--s7)}
        .bar{display:grid;grid-template-columns:minmax(84px,25%) 1fr 84px;gap:10px;align-items:center;\
        margin:5px 0;font-size:14px}
        .bar span{overflow-wrap:anywhere}.bar b{display:block;height:16px}
        .bar b{position:relative}.bar u{position:absolute;top:50%;height:1px;background:var(--ink);min-width:2px;\
        text-decoration:none}
        .bar u:before,.bar u:after{content:"";position:absolute;top:-4px;height:9px;width:1px;background:var(--ink)}
        .bar u:before{left:0}.bar u:after{right:0}
        .bar b i{display:block;height:100%;background:var(--s5);border-radius:2px;min-width:2px}
        .bar.own b i{background:var(--s0)}.bar.own span{font-weight:600}
        .bar em{font-style:normal;text-align:right;font-variant-numeric:tabular-nums}
        details{border-top:1px solid var(--line);padding:10px 0}summary{cursor:pointer;font-weight:600}
        details p{color:var(--soft);margin:8px 0}details .plots{margin-top:12px;\
        grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr))}
        @media(max-width:640px){main{padding:16px 12px 40px}h1{font-size:21px}
        .words thead{display:none}.words tr{display:block;padding:10px 0;border-bottom:1px solid var(--line)}
        .words td,.words td:first-child{display:block;width:auto;border:0;padding:2px 0}
        .words td[data-head]:before{content:attr(data-head) ": ";color:var(--soft)}
        dt{flex-basis:92px}}
        @media print{:root{--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--good:#13713c;--bad:#b3261e;\
        --s0:#2a5bd7;--s1:#c2571a;--s2:#177d6f;--s3:#8a3fb0;--s4:#8c6d00;--s5:#5b6470;--s6:#b3265e;--s7:#4f7a1f}
        body{font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}main{padding:0;max-width:none}
        figure,tr,details{break-inside:avoid}.wide{overflow:visible}table{font-size:9px}.words{font-size:11px}
        th,td{padding:3px 4px;white-space:normal}th:first-child,td:first-child{min-width:150px}
        .plots{grid-template-columns:1fr 1fr}details:not([open]){display:none}}
        details>.wide{margin-top:10px}footer{margin-top:36px;color:var(--soft);font-size:13px}
        """
}
