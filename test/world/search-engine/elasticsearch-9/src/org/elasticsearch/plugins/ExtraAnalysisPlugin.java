package org.elasticsearch.plugins;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.FilteringTokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.email.UAX29URLEmailTokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.analysis.AbstractIndexAnalyzerProvider;
import org.elasticsearch.index.analysis.AbstractTokenFilterFactory;
import org.elasticsearch.index.analysis.AbstractTokenizerFactory;
import org.elasticsearch.index.analysis.AnalyzerProvider;
import org.elasticsearch.index.analysis.PreConfiguredTokenFilter;
import org.elasticsearch.index.analysis.PreConfiguredTokenizer;
import org.elasticsearch.index.analysis.TokenFilterFactory;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;

/** The parts of the unpublished module analysis-common that the .security index needs, and the english analyzer. */
public class ExtraAnalysisPlugin extends Plugin implements AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of("pattern_capture", PatternCapture::new, "unique", Unique::new);
    }

    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of("uax_url_email", UrlEmail::new);
    }

    @Override
    public List<PreConfiguredTokenFilter> getPreConfiguredTokenFilters() {
        return List.of(PreConfiguredTokenFilter.singleton("unique", false, UniqueFilter::new));
    }

    @Override
    public List<PreConfiguredTokenizer> getPreConfiguredTokenizers() {
        return List.of(PreConfiguredTokenizer.singleton("uax_url_email", UAX29URLEmailTokenizer::new));
    }

    @Override
    public Map<String, AnalysisProvider<AnalyzerProvider<? extends Analyzer>>> getAnalyzers() {
        return Map.of("english", English::new);
    }

    static class PatternCapture extends AbstractTokenFilterFactory {
        private final boolean preserve;
        private final Pattern[] patterns;

        PatternCapture(IndexSettings index, Environment environment, String name, Settings settings) {
            super(name);
            preserve = settings.getAsBoolean("preserve_original", true);
            patterns = settings.getAsList("patterns").stream().map(Pattern::compile).toArray(Pattern[]::new);
        }

        @Override
        public TokenStream create(TokenStream in) {
            return new PatternCaptureGroupTokenFilter(in, preserve, patterns);
        }
    }

    static class Unique extends AbstractTokenFilterFactory {
        Unique(IndexSettings index, Environment environment, String name, Settings settings) {
            super(name);
        }

        @Override
        public TokenStream create(TokenStream in) {
            return new UniqueFilter(in);
        }
    }

    static class UniqueFilter extends FilteringTokenFilter {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final Set<String> seen = new HashSet<>();

        UniqueFilter(TokenStream in) {
            super(in);
        }

        @Override
        protected boolean accept() {
            return seen.add(term.toString());
        }

        @Override
        public void reset() throws java.io.IOException {
            super.reset();
            seen.clear();
        }
    }

    static class UrlEmail extends AbstractTokenizerFactory {
        private final int longest;

        UrlEmail(IndexSettings index, Environment environment, String name, Settings settings) {
            super(name);
            longest = settings.getAsInt("max_token_length", 255);
        }

        @Override
        public Tokenizer create() {
            UAX29URLEmailTokenizer tokenizer = new UAX29URLEmailTokenizer();
            tokenizer.setMaxTokenLength(longest);
            return tokenizer;
        }
    }

    static class English extends AbstractIndexAnalyzerProvider<Analyzer> {
        private final Analyzer analyzer = new EnglishAnalyzer();

        English(IndexSettings index, Environment environment, String name, Settings settings) {
            super(name);
        }

        @Override
        public Analyzer get() {
            return analyzer;
        }
    }
}
