# Reads the part of TOML that rpi-preseed.toml is made of and prints SECTION.KEY, a tab and the value; one
# line for each text of an array. A mistake is printed as "!", a tab and the words.

function mistake(words) {
    print "!\tline " NR ": " words
    failed = 1
    exit 1
}

# Takes one text off the front of `rest`; the result is without quotes and escapes.
function text(    quote, out, c) {
    quote = substr(rest, 1, 1)
    out = ""
    for (rest = substr(rest, 2); rest != ""; rest = substr(rest, 2)) {
        c = substr(rest, 1, 1)
        if (c == quote) {
            rest = substr(rest, 2)
            return out
        }
        if (c == "\\" && quote == "\"") {
            rest = substr(rest, 2)
            c = substr(rest, 1, 1)
            if (c != "\\" && c != "\"") mistake("\\" c " is not known here: type the letter itself")
        }
        out = out c
    }
    mistake("a text that begins with " quote " does not end: " quote " is missing at its end")
}

function skip_blanks() { sub(/^[ \t]+/, "", rest) }

function nothing_more() {
    skip_blanks()
    if (rest != "" && rest !~ /^#/) mistake("expected nothing more on this line after the value")
}

# The texts of an array, up to its end or the end of the line.
function elements() {
    for (skip_blanks(); rest != "" && rest !~ /^#/; skip_blanks()) {
        if (rest ~ /^\]/) {
            rest = substr(rest, 2)
            array = ""
            nothing_more()
            return
        }
        if (rest ~ /^,/) rest = substr(rest, 2)
        else if (rest ~ /^["']/) print array "\t" text()
        else mistake("expected a text in \" \"")
    }
}

{ sub(/\r$/, "") }
NR == 1 { sub(/^\357\273\277/, "") }
{ rest = $0; skip_blanks() }
rest == "" || rest ~ /^#/ { next }
array != "" { elements(); next }

rest ~ /^\[/ {
    if (!match(rest, /^\[[ \t]*[A-Za-z0-9_.-]+[ \t]*\]/)) mistake("expected [section]")
    section = substr(rest, 2, RLENGTH - 2)
    gsub(/[ \t]/, "", section)
    rest = substr(rest, RLENGTH + 1)
    nothing_more()
    next
}

{
    if (!match(rest, /^[A-Za-z0-9_-]+[ \t]*=/)) mistake("expected KEY = VALUE, as in hostname = \"van\"")
    key = substr(rest, 1, RLENGTH - 1)
    gsub(/[ \t]/, "", key)
    name = section "." key
    if (name in seen) mistake(key " is there twice")
    seen[name] = 1
    rest = substr(rest, RLENGTH + 1)
    skip_blanks()
    if (rest ~ /^\[/) {
        array = name
        rest = substr(rest, 2)
        elements()
    } else if (rest ~ /^["']/) {
        value = text()
        print name "\t" value
        nothing_more()
    } else if (match(rest, /^(true|false|[0-9]+)/)) {
        print name "\t" substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
        nothing_more()
    } else {
        mistake("expected a text in \" \", true, false or a number after " key " =")
    }
}

END {
    if (!failed && array != "") print "!\tline " NR ": the list of " array " does not end: ] is missing"
}
